#include <algorithm>
#include <stdexcept>
#include <string>

#include "kernels/lbp/lbp_histograms.hpp"

namespace fovea {
namespace {

std::string text_of(const Rect& region) {
    return std::to_string(region.width) + "x" + std::to_string(region.height) + " at (" +
           std::to_string(region.x) + ", " + std::to_string(region.y) + ")";
}

void check_region(const Rect& region, Size face) {
    constexpr std::int64_t max_pixels = 65535;
    if (region.x < 0 || region.y < 0 || region.width < 1 || region.height < 1 ||
        region.width > face.width - region.x || region.height > face.height - region.y) {
        throw std::invalid_argument("local binary patterns: the region " + text_of(region) +
                                    " does not lie in a face of " + std::to_string(face.width) + "x" +
                                    std::to_string(face.height) + " pixels");
    }
    if (std::int64_t{region.width} * region.height > max_pixels) {
        throw std::invalid_argument("local binary patterns: the region " + text_of(region) +
                                    " has more than 65,535 pixels, which counts of 16 bits cannot hold");
    }
}

void check(Size face, const std::vector<RegionalLbp>& features) {
    constexpr int most = 4096;
    if (face.width < 1 || face.width > most || face.height < 1 || face.height > most) {
        throw std::invalid_argument("local binary patterns: a face is " + std::to_string(face.width) + "x" +
                                    std::to_string(face.height) + " pixels, not 1x1 to 4096x4096");
    }
    if (features.empty()) throw std::invalid_argument("local binary patterns: there is no feature");
    for (const RegionalLbp& feature : features) {
        if (feature.regions.empty()) {
            throw std::invalid_argument("local binary patterns: a feature has no region");
        }
        for (const Rect& region : feature.regions) check_region(region, face);
    }
}

// Pixels of a range that are at least `margin` from both ends of a side of the face.
std::uint32_t coded(int first, int length, int side, int margin) {
    return static_cast<std::uint32_t>(
        std::max(0, std::min(first + length, side - margin) - std::max(first, margin)));
}

}  // namespace

HistogramLayout lbp_layout(Size face, const std::vector<RegionalLbp>& features) {
    check(face, features);
    HistogramLayout layout;
    for (const RegionalLbp& feature : features) {
        const LbpPlan plan = make_lbp_plan(feature.lbp);
        for (const Rect& region : feature.regions) {
            const std::uint32_t pixels = coded(region.x, region.width, face.width, plan.margin) *
                                         coded(region.y, region.height, face.height, plan.margin);
            layout.blocks.push_back({.bins = plan.bins, .largest = pixels});
            layout.bins += plan.bins;
        }
    }
    return layout;
}

}  // namespace fovea
