#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/evaluate/detection/detection.hpp"
#include "lib/results/results.hpp"

namespace fovea {

/// The inputs of an evaluation of detectors (evaluated.jsonl beside report.json), so that it can be
/// made again.
///
/// The first line is {"format": "fovea-evaluated", "version": 1, "kind": "detection", "dataset": {"name",
/// "format", "root"}, "detectors": [{"name", "options", "images_extra", "warnings"}, ...]}; then one line an
/// annotated image, in dataset order: {"image", "path" (where it is not root/image), "size": [w, h],
/// "attributes": [[name, value], ...], "faces": [{"box", "ignore", "crowd", "ellipse", "area", "eyes",
/// "landmarks", "attributes"}, ...], "results": [...]}, the results parallel to the detectors: an object as a
/// line of results.jsonl, or null where the results lacked the image; "places", where VOC's protocol needs
/// them: for each detector the places of its detections in the results' file, or none. Whatever is absent or
/// false is left out; numbers read back to the same double.
struct EvaluationRecord {
    struct Detector {
        std::string name;
        DetectionEvaluationOptions options;
        DetectionResults results;  ///< only of the dataset's annotated images
        int images_extra = 0;      ///< as the evaluation counted them; they are not part of the record
        std::vector<std::string> warnings;  ///< the evaluation's
    };
    Dataset dataset;  ///< annotated images only
    std::vector<Detector> detectors;
};

/// The text of evaluated.jsonl for evaluations of one dataset. Deterministic and independent of the number
/// of threads.
/// \throws Error if a number is not finite.
std::string evaluation_record_text(const Dataset& dataset,
                                   const std::vector<DetectionEvaluation>& evaluations);

/// Reads a record. \throws UsageError if the file is not there; Error naming file and line if it is broken or
/// of another version.
EvaluationRecord read_evaluation_record(const std::filesystem::path& file);
/// Reads a record from its text. \param file named in messages.
EvaluationRecord parse_evaluation_record(const std::string& bytes, const std::string& file);

/// An image's ground truth as it stands in a record: equal texts mean equal ground truth.
std::string ground_truth_text(const Sample& sample);

}  // namespace fovea
