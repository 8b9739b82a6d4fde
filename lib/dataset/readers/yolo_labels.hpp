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

/// Files of YOLO labels. Lines are "class cx cy w h", or, as detectors of faces have them, with k points
/// behind the box, in all lines as many: of two numbers each (0 0 or negative ones where it is not known), or
/// of three, of which the third is COCO's visibility.
///
/// Outlines ("class x1 y1 x2 y2 x3 y3 ...") are refused. In numbers alone they look like a box with points;
/// what tells them apart is where all the points of the set lie.
/// \param files an empty path stands for a file that is not there.
/// \return parallel to the files. \throws Error naming the line that is broken.
std::vector<std::vector<YoloBox>> read_yolo_labels(const std::vector<std::filesystem::path>& files);

}  // namespace fovea
