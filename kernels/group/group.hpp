#pragma once

#include <span>
#include <vector>

#include "kernels/core/view.hpp"

namespace fovea {

/// A window in image pixels and the sum of its last stage.
struct ScoredRect {
    Rect rect;
    double score = 0;
};

/// How the score of a group follows from the scores of its windows.
enum class GroupScore {
    maximum,
    sum,  ///< only for whole numbers: their sum is exact in any order
};

/// A class of similar windows.
struct RectGroup {
    Rect rect;          ///< mean of the windows
    int neighbors = 0;  ///< windows in the class
    double score = 0;   ///< by GroupScore

    friend bool operator==(const RectGroup&, const RectGroup&) = default;
};

constexpr double default_group_eps = 0.2;

/// Groups overlapping windows as cv::groupRectangles (OpenCV 4.6) does. Classes are the transitive closure of
/// "all four edges differ by at most eps · (min(w1, w2) + min(h1, h2)) / 2". Classes of more than
/// min_neighbors windows become groups by their mean. A group is dropped if it lies inside another group,
/// grown by eps, and has fewer than 3 windows or the other group has more windows than it and more than 3.
///
/// \param min_neighbors > 0.
/// \return groups by neighbors (falling), y, x, height, width (rising) and score (falling), whatever the
/// order of the input.
std::vector<RectGroup> group_rects(std::span<const ScoredRect> windows, int min_neighbors,
                                   double eps = default_group_eps, GroupScore score = GroupScore::maximum);

}  // namespace fovea
