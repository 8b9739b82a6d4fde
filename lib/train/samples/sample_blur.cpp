#include "lib/train/samples/sample_blur.hpp"

#include <algorithm>
#include <cmath>

namespace fovea {
namespace {

constexpr int passes = 3;

/// 1 / total for offsets up to `radius`, `end` / total for the next one at both sides.
struct ExtendedBox {
    int radius = 0;
    double end = 0;
    double total = 1;
};

ExtendedBox box_of_variance(double variance) {
    ExtendedBox box;
    box.radius = static_cast<int>(std::floor((std::sqrt(12 * variance + 1) - 1) / 2));
    const double r = box.radius, length = 2 * r + 1;
    box.end = length * (r * (r + 1) - 3 * variance) / (6 * (variance - (r + 1) * (r + 1)));
    box.total = length + 2 * box.end;
    return box;
}

/// Filters `count` values that lie `step` apart. \param copy  memory for them.
void filter_line(double* values, int count, std::ptrdiff_t step, const ExtendedBox& box,
                 std::vector<double>& copy) {
    copy.resize(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) copy[static_cast<std::size_t>(i)] = values[i * step];
    const auto at = [&](int i) { return copy[static_cast<std::size_t>(std::clamp(i, 0, count - 1))]; };
    for (int i = 0; i < count; ++i) {
        double sum = 0;
        for (int k = i - box.radius; k <= i + box.radius; ++k) sum += at(k);
        sum += box.end * (at(i - box.radius - 1) + at(i + box.radius + 1));
        values[i * step] = sum / box.total;
    }
}

}  // namespace

void blur(WindowPlane& plane, Size window, double sigma) {
    if (!(sigma > 0)) return;
    const ExtendedBox box = box_of_variance(sigma * sigma / passes);
    std::vector<double> copy;
    for (int pass = 0; pass < passes; ++pass) {
        for (int y = 0; y < window.height; ++y) {
            filter_line(plane.data() + std::ptrdiff_t{y} * window.width, window.width, 1, box, copy);
        }
        for (int x = 0; x < window.width; ++x) {
            filter_line(plane.data() + x, window.height, window.width, box, copy);
        }
    }
}

void add_noise(WindowPlane& plane, double deviation, CounterRandom& random) {
    if (!(deviation > 0)) return;
    // A uniform number in [0, 1) has the variance 1/12, four of them have 1/3.
    const double scale = deviation * std::sqrt(3.0);
    for (double& value : plane) {
        const std::uint64_t bits = random.next();
        const auto part = [bits](int i) { return static_cast<double>(bits >> (16 * i) & 0xFFFF); };
        const double sum = (part(0) + part(1) + part(2) + part(3) + 2) / 65536;  // of centres of intervals
        value += scale * (sum - 2);
    }
}

}  // namespace fovea
