#include "lib/evaluate/statistics/mcnemar.hpp"

#include <algorithm>
#include <cmath>

namespace fovea {
namespace {

constexpr int max_exact = 50;  // 2^50 and the binomial coefficients are whole numbers that a double holds

double binomial_two_sided(int trials, int fewer) {
    double coefficient = 1;
    double tail = 0;
    for (int k = 0; k <= fewer; ++k) {
        tail += coefficient;
        coefficient = coefficient * (trials - k) / (k + 1);
    }
    return std::min(1.0, 2 * tail / std::exp2(trials));
}

}  // namespace

McNemar mcnemar_test(int both, int only_first, int only_second, int neither) {
    McNemar test{both, only_first, only_second, neither, 1, true, std::nullopt, std::nullopt};
    const int discordant = only_first + only_second;
    if (only_first > 0) test.odds_ratio = static_cast<double>(only_second) / only_first;
    if (discordant <= max_exact) {
        test.p_value = binomial_two_sided(discordant, std::min(only_first, only_second));
        return test;
    }
    const double excess = std::max(0, std::abs(only_first - only_second) - 1);
    test.exact = false;
    test.chi_squared = excess * excess / discordant;
    test.p_value = std::erfc(std::sqrt(*test.chi_squared / 2));
    return test;
}

}  // namespace fovea
