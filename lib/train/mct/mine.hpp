#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "kernels/engine/engine.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/core/types.hpp"
#include "lib/image/formats/image.hpp"
#include "lib/train/mct/patch.hpp"

namespace fovea {

/// An image to take negatives from.
struct Background {
    std::string name;
    GreyImage image;
    /// Windows that overlap one (IoU above MiningSettings::max_face_iou) are not taken.
    std::vector<Box> faces;
};

struct MiningSettings {
    std::size_t count = 0;             ///< windows wanted
    std::size_t max_per_image = 1000;  ///< of one image, so that none dominates
    double scale_factor = 1.15;
    double max_face_iou = 0.2;
    std::uint64_t seed = 1;
    /// The share of windows that is expected to pass: it decides how finely the images are searched.
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

/// Finds windows that the engine's cascade takes for faces, at every scale of every background
/// (bootstrapping; Sung and Poggio 1998). If more pass than are wanted, a sample is taken, which depends on
/// the seed, not on threads.
/// \param engine of an MCT cascade, on the CPU or a GPU: the windows are the same.
/// \param progress called with the number of images done; may throw to stop.
MinedNegatives mine_negatives(CascadeEngine& engine, const std::vector<Background>& backgrounds,
                              const MiningSettings& settings, const CountProgress& progress = {});

}  // namespace fovea
