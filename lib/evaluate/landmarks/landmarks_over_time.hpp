#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/evaluate/statistics/resample.hpp"

namespace fovea {

struct LandmarkEvaluation;

/// The faces that were followed for as many frames since they were last detected.
struct LandmarkDrift {
    int followed = 0;       ///< frames; 0 = detected in the frame itself
    bool and_more = false;  ///< these, and all that were followed longer
    int faces = 0;
    Numbers numbers;  ///< mean, median
};

/// The faces of the videos of a category (300-VW's 1, 2 and 3).
struct LandmarkCategory {
    std::string name;
    int videos = 0;
    int faces = 0;
    int missed = 0;
    Numbers numbers;  ///< mean, median, auc_0.08, failure_rate
    /// Errors of the faces found, ascending: face k stands for a CED of k / faces.
    std::vector<double> errors;
};

/// The faces of a video.
struct LandmarkVideo {
    std::string name;
    std::string category;  ///< empty without
    int faces = 0;
    int missed = 0;
    std::optional<double> mean;    ///< NME of the faces found
    std::optional<double> jitter;  ///< mean
    double failure_rate = 0;       ///< above 0.08, missed faces among them
    /// One for each face, in time: the frame's number from 0, and the NME (infinite for a missed face).
    std::vector<std::pair<double, double>> errors;
};

/// Landmarks of faces in videos, by the normaliser of parts and slices.
///
/// Jitter: for a face found in two consecutive frames, the mean over its points of
///   |(q_t − p_t) − (q_{t−1} − p_{t−1})| / length_t
/// with q found and p true: how much the points move against the true points from frame to frame. A constant
/// error has no jitter. True motion, to compare it with: the mean of |p_t − p_{t−1}| / length_t. The face in
/// the frame before has the same attribute "track", or is the only one that counts.
struct LandmarksOverTime {
    /// The units that are resampled: "videos", or "blocks of 40 frames"; empty without.
    std::string units;
    int steps = 0;        ///< faces that were found in a frame and the one before
    Numbers jitter;       ///< mean, median, percentile_95
    Numbers true_motion;  ///< mean, median, percentile_95 of the same faces
    /// The drift by frames since the last detection; empty if no face was followed.
    std::vector<LandmarkDrift> drift;
    std::vector<LandmarkCategory> categories;  ///< by name; empty where videos have none
    std::vector<LandmarkVideo> videos;         ///< in dataset order
};

/// Measures the landmarks over time; nothing if no image with a face that counts is a frame of a video.
/// \param evaluation with its outcomes.
std::optional<LandmarksOverTime> landmarks_over_time(const Dataset& dataset,
                                                     const LandmarkEvaluation& evaluation);

}  // namespace fovea
