#include "kernels/windows/levels.hpp"

#include <algorithm>
#include <cmath>

namespace fovea {
namespace {

// Half to even under the default rounding mode, as OpenCV's cvRound (cvtsd2si, cvtss2si).
int round_even(double value) {
    return static_cast<int>(std::lrint(value));
}
int round_even(float value) {
    return static_cast<int>(std::lrint(value));
}

Size scaled(Size window, float scale) {
    return {round_even(static_cast<float>(window.width) * scale),
            round_even(static_cast<float>(window.height) * scale)};
}

std::vector<float> all_scales(Size image, Size window, double scale_factor) {
    std::vector<float> scales;
    for (double factor = 1;; factor *= scale_factor) {
        if (round_even(window.width * factor) > image.width ||
            round_even(window.height * factor) > image.height) {
            return scales;
        }
        scales.push_back(static_cast<float>(factor));
    }
}

float nearest_scale(const std::vector<float>& scales, Size window, Size target) {
    float best = scales.front();
    double best_distance = 0;
    for (std::size_t i = 0; i < scales.size(); ++i) {
        const Size size = scaled(window, scales[i]);
        // In int as OpenCV has it; sizes are below 2^15 there for any image that can be decoded.
        const double dx = target.width - size.width;
        const double dy = target.height - size.height;
        const double distance = dx * dx + dy * dy;
        if (i == 0 || distance < best_distance) {
            best = scales[i];
            best_distance = distance;
        }
    }
    return best;
}

}  // namespace

std::vector<PyramidLevel> cascade_levels(Size image, Size window, const ScanParameters& parameters) {
    if (image.width < window.width || image.height < window.height) return {};
    Size max_size = parameters.max_size;
    if (max_size.width == 0 || max_size.height == 0) max_size = image;

    const std::vector<float> candidates = all_scales(image, window, parameters.scale_factor);
    std::vector<float> scales;
    for (const float scale : candidates) {
        const Size box = scaled(window, scale);
        if (box.width > max_size.width || box.height > max_size.height) break;
        if (box.width < parameters.min_size.width || box.height < parameters.min_size.height) continue;
        scales.push_back(scale);
    }
    if (scales.empty()) {
        if (candidates.empty()) return {};
        scales.push_back(nearest_scale(candidates, window, parameters.min_size));
    }

    std::vector<PyramidLevel> levels;
    levels.reserve(scales.size());
    int stripes = 0;
    for (const float scale : scales) {
        PyramidLevel level;
        level.scale = scale;
        level.size = {round_even(static_cast<float>(image.width) / scale),
                      round_even(static_cast<float>(image.height) / scale)};
        level.box = scaled(window, scale);
        level.step = scale >= 2 ? 1 : 2;
        // The integral image has one column and row more than the image: hence the + 1.
        level.columns = std::max(level.size.width + 1 - window.width, 0);
        const int rows = std::max(level.size.height + 1 - window.height, 0);
        if (levels.empty()) stripes = static_cast<int>(std::ceil(level.columns / 32.));
        if (stripes > 0) {
            const int stripe_rows = std::max((rows / level.step + stripes - 1) / stripes, 1) * level.step;
            level.rows = static_cast<int>(std::min<long>(static_cast<long>(stripes) * stripe_rows, rows));
        }
        levels.push_back(level);
    }
    return levels;
}

}  // namespace fovea
