#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lib/core/types.hpp"
#include "lib/evaluate/landmarks/error_distribution.hpp"
#include "lib/evaluate/landmarks/landmark_points.hpp"
#include "lib/evaluate/statistics/resample.hpp"
#include "lib/results/tally.hpp"

namespace fovea {

/// How far the boxes of faces are moved and resized to learn what that costs a landmarker.
struct BoxJitterOptions {
    std::vector<double> shifts{0, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2};  ///< of the box's width and height
    std::vector<double> scales{0.8, 0.85, 0.9, 0.95, 1, 1.05, 1.1, 1.15, 1.2, 1.25};  ///< about the centre
    int draws = 3;           ///< directions of every shift and face
    std::uint64_t seed = 1;  ///< of the directions
};

/// A face's box, moved or resized.
struct JitteredBox {
    /// Index in the shifts, then in the scales: shifts.size() is the first scale.
    std::size_t level = 0;
    Box box;
};

/// The boxes of one face, by level: `draws` for every shift but 0, one for a shift of 0 and for every scale.
/// A shift of s moves the box by (s w cos a, s h sin a). The directions a are uniform and the same for all
/// shifts, so that the levels differ by nothing else; they follow from the seed and `face`, the face's number
/// in the dataset.
std::vector<JitteredBox> jittered_boxes(const Box& box, const BoxJitterOptions& options, std::size_t face);

/// The outcome at one shift or scale.
struct JitterLevel {
    double amount = 0;  ///< the shift or the scale
    std::size_t boxes = 0;
    /// Keys: mean, median, failure_rate (errors above 0.08), each with its interval by images.
    Numbers numbers;
};

/// A landmarker's normalised error on faces whose boxes were moved and resized.
struct BoxSensitivity {
    BoxJitterOptions options;
    LandmarkNormaliser normaliser = LandmarkNormaliser::outer_eye_corners;
    std::size_t faces = 0;              ///< that were measured
    std::vector<JitterLevel> shifts{};  ///< parallel to options.shifts
    std::vector<JitterLevel> scales{};  ///< parallel to options.scales
    std::vector<UnreadableImage> unreadable{};
};

/// The numbers of every level. \param errors by level, as JitteredBox counts them: the normalised mean
/// error of every face and draw, and the number of its image. \param resamples for the intervals, by
/// images; 0 = none.
/// \throws std::invalid_argument if there are not as many lists as levels, or an error is negative.
BoxSensitivity box_sensitivity(const BoxJitterOptions& options, LandmarkNormaliser normaliser,
                               std::size_t faces, std::vector<std::vector<UnitError>> errors, int resamples,
                               std::uint64_t bootstrap_seed);

/// The numbers in a sentence: "Boxes moved by 5 % of their size change the mean NME from 0.0400 to 0.0440
/// (+10 %) and failures above 0.08 from 1.0 % to 2.0 %; boxes resized to ...". The shift is the first of at
/// least 5 %, the sizes are the least and the largest. Empty if nothing was measured.
std::string sensitivity_sentence(const BoxSensitivity& sensitivity);

}  // namespace fovea
