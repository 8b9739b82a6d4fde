#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/evaluate/landmarks/landmarks.hpp"
#include "lib/report/page/exhibits.hpp"

namespace fovea::report {

/// Which of the faces found are shown first.
enum class LandmarkRank {
    best,    ///< by rising error
    median,  ///< by distance of the error from the median of the faces found
    worst,   ///< by falling error; faces without an error (a length of 0) come first
};

/// Faces found, with true and found points, in the order of the rank; the first of equals in the
/// dataset first.
std::vector<Exhibit> landmark_exhibits(const Dataset& dataset, const LandmarkEvaluation& evaluation,
                                       LandmarkRank rank, std::size_t limit);

/// Faces missed, largest first. Images in `without_result` are left out: nothing was looked for there.
std::vector<Exhibit> missed_landmark_exhibits(const Dataset& dataset, const LandmarkEvaluation& evaluation,
                                              std::size_t limit, const std::set<std::string>& without_result);

}  // namespace fovea::report
