#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/evaluate/detection/detection.hpp"
#include "lib/evaluate/detection/judged_detections.hpp"

namespace fovea::report {

/// A box to be drawn into a thumbnail, in image pixels.
struct DrawnBox {
    enum class Kind { face, ignored_face, detection } kind = Kind::face;
    Box box;
    bool subject = false;  ///< the box that the thumbnail is about
    std::string note;      ///< what it is, for the pointer to rest on
    /// A detection's score, or the score from which on a face is found; absent = never found, or not known.
    std::optional<double> score{};
    bool is_alarm = false;  ///< a false positive
};

/// Landmarks to be drawn into a thumbnail, in image pixels.
struct DrawnPoints {
    DrawnBox::Kind kind = DrawnBox::Kind::face;
    std::vector<Point> points;
};

/// A miss, a false positive or a face worth looking at.
struct Exhibit {
    std::size_t sample = 0;          ///< index in Dataset::samples
    Box focus;                       ///< the missed face or the false positive
    std::vector<DrawnBox> boxes;     ///< of the whole image, the subject last
    std::vector<std::string> facts;  ///< lines of the caption below the image's name
    std::vector<DrawnPoints> points{};
};

/// Faces that no detection with score >= threshold finds, largest first, at most `limit`. Faces marked ignore
/// are not among them. Images in `without_result` are left out: nothing was looked for there.
/// \param scores image_scores() of the evaluation.
std::vector<Exhibit> largest_misses(const Dataset& dataset, const DetectionEvaluation& evaluation,
                                    const std::vector<ImageScores>& scores, double threshold,
                                    std::size_t limit, const std::set<std::string>& without_result);

/// False positives by falling score, at most `limit`.
std::vector<Exhibit> highest_false_alarms(const Dataset& dataset, const DetectionEvaluation& evaluation,
                                          const std::vector<ImageScores>& scores, std::size_t limit);

}  // namespace fovea::report
