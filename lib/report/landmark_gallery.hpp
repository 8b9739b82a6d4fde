#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/evaluate/landmarks.hpp"
#include "lib/report/gallery.hpp"

namespace fovea::report {

/// Faces found, with true and found points; by falling error, or by rising error if `best`. Faces without an error
/// (a length of 0) come first among the worst.
std::vector<Exhibit> landmark_exhibits(const Dataset& dataset, const LandmarkEvaluation& evaluation,
                                       bool best, std::size_t limit);

/// Faces missed, largest first. Images in `without_result` are left out: nothing was looked for there.
std::vector<Exhibit> missed_landmark_exhibits(const Dataset& dataset, const LandmarkEvaluation& evaluation,
                                              std::size_t limit, const std::set<std::string>& without_result);

}  // namespace fovea::report
