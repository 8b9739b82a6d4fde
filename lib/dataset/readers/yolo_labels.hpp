#pragma once

#include <filesystem>
#include <vector>

#include "lib/core/types.hpp"

namespace fovea {

/// A box in shares of the image's width and height.
struct YoloBox {
    int category = 0;
    Point centre;
    double w = 0;
    double h = 0;
    std::vector<Keypoint> points;  ///< in shares of the sides, too; empty if it has none
};

/// Reads files of YOLO labels. Lines are "class cx cy w h"; for detectors of faces k points may follow, k
/// being the same in all lines. A point has two numbers (0 0 or negative ones if it is unknown), or a third
/// one, COCO's visibility.
///
/// Outlines ("class x1 y1 x2 y2 x3 y3 ...") are refused. A line of them looks like a box with points, but the
/// places of all points of the set tell them apart.
/// \param files an empty path stands for a file that is not there. \return parallel to the files.
/// \throws Error naming the broken line.
std::vector<std::vector<YoloBox>> read_yolo_labels(const std::vector<std::filesystem::path>& files);

}  // namespace fovea
