#pragma once

#include <string>
#include <vector>

#include "lib/evaluate/detection/detection.hpp"
#include "lib/evaluate/landmarks/landmarks.hpp"
#include "lib/evaluate/protocols/coco_categories.hpp"
#include "lib/job/stages/detect_images.hpp"
#include "lib/json/json_fwd.hpp"

namespace fovea {

/// One row per detector: faces, found, detection rate, precision, average precision, rates at false
/// positives.
std::string evaluation_table(const std::vector<DetectionEvaluation>& evaluations);

/// A row for every landmarker and normaliser: faces, missed, mean, median, AUC and failures with their
/// intervals.
std::string landmark_table(const std::vector<LandmarkEvaluation>& evaluations);

/// The protocol's own numbers, one row each, with the other mode's where they differ; empty if the protocol
/// has none.
std::string protocol_table(const std::vector<DetectionEvaluation>& evaluations);

/// The main numbers of an evaluation; the full ones are in report.json.
Json evaluation_summary_json(const DetectionEvaluation& evaluation);

/// A row for every category: objects, detections, AP, AP50, AP75, AR100 and AP of small ones; then the means.
std::string categories_table(const CategoriesEvaluation& evaluation);

/// {"name", "coco": {the means, "categories": [{"id", "name", "objects", "detections", the numbers}]}}.
Json categories_json(const CategoriesEvaluation& evaluation);

/// "detection" (the first) and "detectors" (all) of a subcommand's JSON outcome.
void add_evaluations_json(Json& outcome, const std::vector<DetectionEvaluation>& evaluations);

/// Warns of unreadable images: how many, and the first few with their reasons.
void warn_unreadable(const std::vector<UnreadableImage>& unreadable, std::size_t images);

/// Warns of pages behind the first ones of files, if there are some.
void warn_pages_left_out(std::size_t pages);

/// A list of {"image", "reason"}.
Json unreadable_json(const std::vector<UnreadableImage>& unreadable);

/// images, ok, unreadable, unreadable_images, interrupted.
void add_counts_json(Json& outcome, const DetectImagesResult& images);

}  // namespace fovea
