#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/image/formats/decode.hpp"
#include "lib/landmark/add_landmarks.hpp"
#include "tests/lab/boxes/box_jitter.hpp"

namespace fovea {

struct BoxJitterStudyOptions {
    BoxJitterOptions jitter;
    /// Absent = the first that the dataset's faces have.
    std::optional<LandmarkNormaliser> normaliser;
    int bootstrap_resamples = 1000;  ///< for the intervals, by images; 0 = none
    std::uint64_t bootstrap_seed = 1;
    DecodeOptions decode;  ///< as when detecting
    int threads = 1;       ///< that decode, >= 1
    /// Called after every image with the numbers done and of all; false ends the work.
    std::function<bool(std::size_t done, std::size_t all)> progress;
};

/// Finds the landmarks of every annotated face that counts (with landmarks, not marked ignore) in its
/// annotated box and in boxes moved and resized (jittered_boxes), and measures them by the normaliser. Images
/// that cannot be decoded are listed as unreadable; faces without a length to divide by are left out. Does
/// not depend on the number of threads.
///
/// \param stage finds landmarks in annotated boxes. \return nothing if `progress` ended the work.
/// \throws Error if a face has another number of landmarks than the model; what Landmarker::find throws.
std::optional<BoxSensitivity> study_box_jitter(const Dataset& dataset, const LandmarkStage& stage,
                                               const BoxJitterStudyOptions& options);

}  // namespace fovea
