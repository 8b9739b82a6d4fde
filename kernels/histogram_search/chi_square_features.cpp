#include "kernels/histogram_search/chi_square_features.hpp"

#include <algorithm>
#include <cmath>

namespace fovea {
namespace {

using Features = std::vector<std::array<double, features_of_count>>;

// Pivots are where what is left of the diagonal is largest in proportion to count^(2 · exponent).
Features cholesky_features(std::uint32_t largest, double exponent) {
    Features features(largest + 1, std::array<double, features_of_count>{});
    std::vector<double> left(largest + 1), scale(largest + 1);
    for (std::uint32_t a = 1; a <= largest; ++a) {
        left[a] = 2.0 * a;
        scale[a] = std::pow(a, -2 * exponent);
    }
    const std::size_t rank = std::min<std::size_t>(features_of_count, largest);
    for (std::size_t f = 0; f < rank; ++f) {
        std::uint32_t pivot = 1;
        for (std::uint32_t a = 2; a <= largest; ++a) {
            // The first of those that differ by rounding alone.
            if (left[a] * scale[a] > (1 + 1e-9) * left[pivot] * scale[pivot]) pivot = a;
        }
        if (left[pivot] <= 0) break;
        const double root = std::sqrt(left[pivot]);
        const auto at_pivot = features[pivot];
        for (std::uint32_t a = 1; a <= largest; ++a) {
            double rest = 4.0 * a * pivot / (a + pivot);
            for (std::size_t i = 0; i < f; ++i) rest -= features[a][i] * at_pivot[i];
            features[a][f] = rest / root;
            left[a] = a == pivot ? 0 : left[a] - features[a][f] * features[a][f];
        }
    }
    return features;
}

// The largest error in proportion to a + b.
double largest_error(const Features& features) {
    double largest = 0;
    for (std::size_t a = 1; a < features.size(); ++a) {
        for (std::size_t b = 1; b <= a; ++b) {
            double error = 4.0 * static_cast<double>(a) * static_cast<double>(b) / static_cast<double>(a + b);
            for (std::size_t f = 0; f < features_of_count; ++f) error -= features[a][f] * features[b][f];
            largest = std::max(largest, std::abs(error) / static_cast<double>(a + b));
        }
    }
    return largest;
}

}  // namespace

std::vector<std::array<double, features_of_count>> chi_square_features(std::uint32_t largest) {
    // Which is better depends on how many small counts there are among all.
    Features even = cholesky_features(largest, 0.5), for_small = cholesky_features(largest, 0.75);
    return largest_error(even) <= largest_error(for_small) ? even : for_small;
}

}  // namespace fovea
