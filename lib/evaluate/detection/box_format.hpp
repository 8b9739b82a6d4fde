#pragma once

#include <optional>
#include <string>

#include "lib/dataset/dataset.hpp"
#include "lib/evaluate/detection/image_pairing.hpp"
#include "lib/results/results.hpp"

namespace fovea {

/// How the four numbers of a box in a results file are meant.
enum class BoxFormat {
    xywh,  ///< left, top, width, height
    xyxy,  ///< left, top, right, bottom
};

/// "xywh" or "xyxy".
std::optional<BoxFormat> box_format_of(const std::string& name);

/// Makes left, top, width and height of the boxes of results that were read as if they were that.
/// \throws Error naming the image if a right or lower edge lies before its opposite.
void convert_boxes(BoxFormat format, DetectionResults& results);

/// A sentence for boxes that are probably not meant as they were read: as corners, or with the score before
/// the box, they would hit at least three times as many faces (IoU 0.5) and 30 % of all; or all are smaller
/// than a pixel. Nothing if they look right, or if there are fewer than 10 faces. At most 500 images are
/// looked at.
std::optional<std::string> doubt_about_boxes(const Dataset& dataset, const ImagePairing& pairing);

}  // namespace fovea
