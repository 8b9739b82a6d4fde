#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/evaluate/analysis/face_appearance.hpp"
#include "lib/evaluate/detection/detection.hpp"
#include "lib/evaluate/detection/judged_detections.hpp"
#include "lib/evaluate/statistics/resample.hpp"

namespace fovea {

/// A part of the faces, or of the images with their faces.
struct Slice {
    std::string label;  ///< "≥ 96²", "occlusion heavy"
    int images = 0;     ///< images of the slice; of a slice of faces: those with at least one of them
    int faces = 0;      ///< counted ones
    // At the operating point:
    int found = 0;
    std::optional<double> detection_rate;         ///< absent without faces
    std::optional<Interval> detection_rate_ci95;  ///< bootstrap over images
    /// Wilson's score interval, which takes faces to be independent.
    std::optional<Interval> wilson_ci95;
    // Slices of images only:
    std::optional<int> false_positives;
    std::optional<double> false_positives_per_image;
    std::optional<Interval> false_positives_per_image_ci95;
    /// Thresholds, in no order: the score from which on each face is found, of those found at all; and the
    /// scores of the false positives.
    std::vector<double> found_scores;
    std::vector<double> false_positive_scores;
};

/// The faces or images of a dataset, cut in one way.
struct SliceGroup {
    std::string key;    ///< in report.json: "size", "attribute.occlusion", "image.fold"
    std::string title;  ///< "Face size"
    std::string what;   ///< one sentence: by what is cut, in which units
    bool of_images = false;
    std::vector<Slice> slices;  ///< none is empty
};

/// Detection rate at an operating point by
/// - size: area of the face (as annotated, else of its box) below 32², up to 96², above (COCO's limits);
/// - face_width: width of the box in pixels, from 0, 16, 32, 64, ... on;
/// - aspect_ratio: width / height of the box;
/// - sharpness, brightness (only with `appearance`): quarters of the measured faces by FaceAppearance;
/// - attribute.NAME: every attribute of faces;
/// and detection rate and false positives per image by
/// - faces_in_image: number of counted faces, images without any too (Gangadhar, table 5);
/// - image.NAME: every attribute of images, the fold among them.
/// The 40 most frequent values of an attribute are told apart; the others are "other", and faces or images
/// without the attribute are "not stated". Numbers are sorted; more than 12 numbers, not all whole, are a
/// measurement and are cut into quarters. Groups of one slice are left out, and attributes such as an id,
/// whose value differs for each face or image.
///
/// Intervals are a bootstrap over images at this threshold, which resamples do not move.
///
/// \param scores image_scores() of the evaluation. \param threshold detections with at least this score are
/// kept; absent: none is. \param appearance of this dataset, or nullptr.
std::vector<SliceGroup> slice_detection(const Dataset& dataset, const DetectionEvaluation& evaluation,
                                        const std::vector<ImageScores>& scores,
                                        std::optional<double> threshold,
                                        const DatasetAppearance* appearance = nullptr);

}  // namespace fovea
