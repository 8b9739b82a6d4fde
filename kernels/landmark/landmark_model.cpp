#include "kernels/landmark/landmark_model.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace fovea {
namespace {

void require(bool condition, const std::string& what) {
    if (!condition) throw std::invalid_argument(what);
}

bool all_finite(const std::vector<float>& values) {
    return std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
}

bool has_extent(const std::vector<float>& shape) {
    for (std::size_t i = 2; i < shape.size(); ++i) {
        if (shape[i] != shape[i - 2]) return true;
    }
    return false;
}

void check_cascade(const LandmarkModel& model, const LandmarkCascade& cascade, const std::string& where) {
    require(!cascade.pixels.empty() && cascade.pixels.size() <= 65536,
            where + " has " + std::to_string(cascade.pixels.size()) + " pixels, not 1 to 65536");
    for (const LandmarkPixel& pixel : cascade.pixels) {
        require(pixel.anchor < static_cast<std::uint32_t>(model.points),
                where + " has a pixel at landmark " + std::to_string(pixel.anchor) + " of " +
                    std::to_string(model.points));
        require(std::isfinite(pixel.dx) && std::isfinite(pixel.dy),
                where + " has a pixel at no finite place");
    }
    require(cascade.trees <= 1U << 24,
            where + " has " + std::to_string(cascade.trees) + " trees, more than 2^24");
    require(cascade.splits.size() == cascade.trees * model.splits_of_tree(),
            where + " has " + std::to_string(cascade.splits.size()) + " splits for " +
                std::to_string(cascade.trees) + " trees");
    for (const LandmarkSplit& split : cascade.splits) {
        require(split.first < cascade.pixels.size() && split.second < cascade.pixels.size(),
                where + " has a split on pixel " + std::to_string(std::max(split.first, split.second)) +
                    " of " + std::to_string(cascade.pixels.size()));
        require(split.threshold >= -256 && split.threshold <= 255,
                where + " has a split at a threshold of " + std::to_string(split.threshold));
    }
    const std::size_t leaves = cascade.trees * model.leaves_of_tree() * model.leaf_stride();
    require(cascade.is_quantised() ? cascade.leaves.empty() && cascade.quantised_leaves.size() == leaves
                                   : cascade.leaves.size() == leaves,
            where + " has other leaves than its trees need");
    require(all_finite(cascade.leaves) && std::isfinite(cascade.leaf_unit),
            where + " has a leaf that is not finite");
}

}  // namespace

std::size_t LandmarkModel::trees() const {
    std::size_t sum = 0;
    for (const LandmarkCascade& cascade : cascades) sum += cascade.trees;
    return sum;
}

void check_landmark_model(const LandmarkModel& model) {
    require(model.points >= 1 && model.points <= 4096,
            "a landmark model has " + std::to_string(model.points) + " points, not 1 to 4096");
    require(model.depth >= 0 && model.depth <= 16,
            "a landmark model has trees of depth " + std::to_string(model.depth) + ", not 0 to 16");
    require(model.subpixels >= 1 && model.subpixels <= 256,
            "a landmark model rounds to 1/" + std::to_string(model.subpixels) + " pixel, not 1/1 to 1/256");
    require(model.initial_shape.size() == 2 * static_cast<std::size_t>(model.points),
            "a landmark model's initial shape has " + std::to_string(model.initial_shape.size()) +
                " coordinates for " + std::to_string(model.points) + " points");
    require(all_finite(model.initial_shape), "a landmark model's initial shape is not finite");
    require(model.refit_after == 0 || has_extent(model.initial_shape),
            "a landmark model fits a box to an initial shape whose points are one");
    for (std::size_t i = 0; i < model.cascades.size(); ++i) {
        check_cascade(model, model.cascades[i], "cascade " + std::to_string(i) + " of a landmark model");
    }
}

}  // namespace fovea
