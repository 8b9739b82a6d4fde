#pragma once

#include <span>
#include <vector>

#include "kernels/core/view.hpp"

namespace fovea {

/// A window in image pixels with the sum of its last stage.
struct ScoredRect {
    Rect rect;
    double score = 0;
};

/// Which of the scores of a class becomes the group's.
enum class GroupScore {
    maximum,
    sum,  ///< only for scores that are whole numbers: their sum is then exact in any order
};

/// A class of similar windows.
struct RectGroup {
    Rect rect;          ///< mean of the windows
    int neighbors = 0;  ///< windows in the class
    double score = 0;   ///< of the class, by GroupScore

    friend bool operator==(const RectGroup&, const RectGroup&) = default;
};

constexpr double default_group_eps = 0.2;

/// Groups overlapping windows as cv::groupRectangles (OpenCV 4.6) does: the classes are the transitive
/// closure of "all four edges differ by at most eps · (min(w1, w2) + min(h1, h2)) / 2"; the mean of each
/// class of more than min_neighbors windows is kept, unless it lies inside another kept class's mean, grown
/// by eps, that has more windows (and more than 3), or it has fewer than 3 itself.
///
/// \param min_neighbors > 0.
/// \return groups sorted by neighbors (falling), then y, x, height, width (rising): independent of the order
/// of the input.
std::vector<RectGroup> group_rects(std::span<const ScoredRect> windows, int min_neighbors,
                                   double eps = default_group_eps, GroupScore score = GroupScore::maximum);

}  // namespace fovea
