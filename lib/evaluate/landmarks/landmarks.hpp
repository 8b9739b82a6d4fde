#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/core/types.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/evaluate/detection/detection.hpp"
#include "lib/evaluate/landmarks/landmark_points.hpp"
#include "lib/evaluate/landmarks/landmarks_over_time.hpp"
#include "lib/evaluate/statistics/resample.hpp"
#include "lib/results/results.hpp"

namespace fovea {

struct LandmarkEvaluationOptions {
    /// Divides the errors of points, regions and slices, and decides the order of faces; absent = the first
    /// one that the dataset's faces have (normalisers_for). Whole faces are measured with every normaliser.
    std::optional<LandmarkNormaliser> normaliser;
    int bootstrap_resamples = 1000;  ///< for the 95 % intervals; 0 = none
    std::uint64_t bootstrap_seed = 1;
};

/// A face of the dataset that counts: one with landmarks that is not marked ignore.
struct LandmarkFace {
    std::size_t sample = 0;         ///< index in Dataset::samples
    std::size_t face = 0;           ///< index in Sample::faces
    std::uint32_t unit = 0;         ///< number of its image among those with faces that count
    std::vector<Point> found;       ///< the landmarks found; empty if the face was missed
    std::vector<double> distances;  ///< of each from the true one, in pixels; empty if missed
    std::vector<double> lengths;    ///< parallel to LandmarkEvaluation::normalisers, in pixels
    int followed = 0;               ///< frames since its last detection (DetectionDetails::followed)

    bool missed() const { return found.empty(); }
};

/// The normalised mean error (NME) of whole faces under one normaliser.
struct NormalisedError {
    LandmarkNormaliser normaliser = LandmarkNormaliser::outer_eye_corners;
    /// Keys: mean, median, std, percentile_5, _25, _75, _90, _95 (over the faces found), median_with_missed,
    /// auc_0.08, auc_0.10, failure_rate (at 0.08), failure_rate_0.10 (over all faces).
    Numbers numbers;
    /// Errors of the faces found, ascending: face k stands for a CED of k / faces.
    std::vector<double> errors;
    std::vector<BandPoint> ced_band;  ///< interval of the CED at errors from 0 to 0.15
    /// Found faces without such a length (0 pixels): their error counts as infinite.
    int unmeasured = 0;
};

/// A point or a region: quartiles and whiskers of its normalised error over the faces found.
struct PartError {
    std::string name;   ///< "36", "right_eye"
    std::string title;  ///< "point 36", "right eye"
    Numbers numbers;    ///< mean, median
    double lower_quartile = 0;
    double median = 0;
    double upper_quartile = 0;
    /// The least error not below the lower quartile - 1.5 interquartile ranges.
    double lower_whisker = 0;
    double upper_whisker = 0;  ///< the largest not above the upper quartile + 1.5
    double largest = 0;
    int outliers = 0;  ///< faces beyond the whiskers
};

/// Some of the faces.
struct LandmarkSlice {
    std::string by;     ///< "face width" or the name of an attribute
    std::string label;  ///< "64–128", or the attribute's value
    int images = 0;
    int faces = 0;
    int missed = 0;
    Numbers numbers;  ///< mean, median, auc_0.08, failure_rate
};

/// Everything that is known about a landmarker on a dataset.
struct LandmarkEvaluation {
    std::string name;  ///< the landmarker's, for legends
    LandmarkEvaluationOptions options;
    std::size_t points = 0;  ///< landmarks of a face
    std::vector<LandmarkNormaliser> normalisers;
    std::size_t primary = 0;    ///< index of options.normaliser among them
    int images = 0;             ///< annotated images
    int images_unreadable = 0;  ///< of these: recorded as unreadable; their faces count as missed
    int images_missing = 0;     ///< of these: the results lack them; their faces count as missed
    int images_extra = 0;       ///< images in the results that the dataset does not annotate (left out)
    int faces = 0;              ///< that count
    int faces_found = 0;
    int faces_missed = 0;
    int faces_ignored = 0;
    int faces_without_landmarks = 0;     ///< annotated without landmarks; they do not count
    int detections_unpaired = 0;         ///< with landmarks, but of no face; they do not count
    std::string units_sha256;            ///< stands for which faces these are: images and true landmarks
    std::vector<LandmarkFace> outcomes;  ///< of the faces that count, in dataset order
    Numbers totals;                      ///< missed_rate
    /// Numbers of a face's mean distance, unnormalised: mean, median, std, percentiles as above.
    Numbers pixels;
    std::vector<NormalisedError> nme;  ///< parallel to normalisers
    /// 68 points only, else empty: mean, median, std, percentiles of equation 5.2 as
    /// printed (helf_error_as_printed).
    Numbers helf_as_printed;
    std::vector<PartError> by_point;  ///< empty if no face was found
    /// Empty if no face was found; a region's error is the mean of its points' errors.
    std::vector<PartError> by_region;
    std::vector<LandmarkSlice> slices;
    /// For frames of videos; absent without any.
    std::optional<LandmarksOverTime> over_time;
    std::vector<Point> mean_shape;  ///< of the true landmarks, see mean_shape()
    std::vector<std::string> warnings;
};

/// The least IoU of the boxes of a face and a detection that can belong together: boxes around a head and
/// around 68 points differ by more than a half, and boxes of neighbouring faces overlap by less than a tenth.
constexpr double min_pairing_iou = 0.1;

/// For every face of an image its detection's index, or -1.
///
/// A face and a detection belong together if they are the only ones of their image. Otherwise pairs with an
/// IoU of at least min_pairing_iou are made one to one with the largest summed IoU (Hungarian method). Only
/// detections with landmarks take part. Ignored faces take part, too, so that their detections do not go to
/// other faces.
std::vector<int> pair_landmarks(const std::vector<Face>& faces, const std::vector<Detection>& detections);

/// The mean distance of a face's landmarks from the true ones, in pixels; infinite if the face was missed.
double mean_distance(const LandmarkFace& face);

/// A face's normalised mean error: mean_distance() divided by the length; infinite if the face was missed or
/// the length is 0. \param normaliser index in LandmarkEvaluation::normalisers.
double normalised_mean_error(const LandmarkFace& face, std::size_t normaliser);

/// Equation 5.2 of Helf 2018 ("Accelerated facial landmark detection ..."), section 5.3.3, as it is
/// printed there:
///   E = √(Σ_n |p_n - q_n|²) / (N · |p_37 - p_46|)   (indices from 1: the outer eye corners)
/// Printed, the root spans the whole sum: a norm of all 2N coordinates together, which grows with √N only, is
/// divided by N. A face whose points are all off by a tenth of the distance then has an error of 0.1/√68 =
/// 0.012, and one with more points a smaller one. Evidently meant is the root of every term, Σ_n √(|p_n -
/// q_n|²): the mean distance, that is the NME by outer_eye_corners, which the results of 300-W that the
/// section compares with are (the text calls points 37 and 46 "eye centers"; they are the outer corners).
/// Infinite if the face was missed or the length is 0. \param length |p_37 - p_46| of the truth.
double helf_error_as_printed(const LandmarkFace& face, double length);

/// Evaluates landmarks against a dataset's.
///
/// Results are paired with images by name (pair_images), detections with faces by pair_landmarks(). A face
/// without a detection is missed: it is a failure and has an infinite error in CED and AUC, so that the
/// CED ends below 1. Means, medians and percentiles are over the faces found (with their number beside
/// them); median_with_missed includes missed faces. In images that are unreadable or that the results
/// lack, all faces are missed. Detections that belong to no face do not count: they are a matter of an
/// evaluation of detections.
///
/// \throws Error if no annotated face has landmarks, faces or detections differ in their number of landmarks,
/// a coordinate is not finite, or as pair_images; UsageError if the dataset's faces lack the normaliser.
LandmarkEvaluation evaluate_landmarks(const Dataset& dataset, const DetectionResults& results,
                                      const LandmarkEvaluationOptions& options, const std::string& name,
                                      const ShareProgress& progress = {});

}  // namespace fovea
