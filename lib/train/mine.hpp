#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "kernels/mct/mct_cascade.hpp"
#include "lib/core/types.hpp"
#include "lib/image/image.hpp"
#include "lib/train/patch.hpp"

namespace fovea {

/// An image to take negatives from.
struct Background {
    std::string name;
    GreyImage image;
    std::vector<Box> faces;  ///< windows that overlap one (IoU above MiningSettings::max_face_iou) are not taken
};

struct MiningSettings {
    std::size_t count = 0;            ///< windows wanted
    std::size_t most_an_image = 1000; ///< of one image, so that none dominates
    double scale_factor = 1.15;
    double max_face_iou = 0.2;
    std::uint64_t seed = 1;
    /// The share of windows that is expected to pass: decides how finely is searched.
    double expected_pass_rate = 1;
};

struct MinedNegatives {
    std::vector<MctPatch> patches;
    std::uint64_t windows_searched = 0;
    std::uint64_t windows_passed = 0;
    double pass_rate() const {
        return windows_searched > 0 ? double(windows_passed) / double(windows_searched) : 0;
    }
};

/// Finds windows that the cascade takes for faces, at every scale of every background (bootstrapping; Sung and
/// Poggio 1998). If more pass than are wanted, a sample is taken that depends on the seed alone, not on the order
/// of threads.
/// \param progress called with the number of images done.
MinedNegatives mine_negatives(const MctCascade& cascade, const std::vector<Background>& backgrounds,
                              const MiningSettings& settings, const std::function<void(std::size_t)>& progress = {});

}  // namespace fovea
