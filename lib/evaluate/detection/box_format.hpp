#pragma once

#include <optional>
#include <string>

#include "lib/core/types.hpp"
#include "lib/results/results.hpp"

namespace fovea {

/// How the four numbers of a box in a results file are meant.
enum class BoxFormat {
    xywh,  ///< left, top, width, height
    xyxy,  ///< left, top, right, bottom
};

/// The box whose x, y, w and h are its left, upper, right and lower edge.
Box box_of_corners(const Box& corners);

/// The format named "xywh" or "xyxy"; nothing for other names.
std::optional<BoxFormat> box_format_of(const std::string& name);

/// Corrects boxes that were read as left, top, width and height, but have the given format. Results whose
/// columns were named as corners are left as they are. \param source of the results, for the message.
/// \throws Error naming the image if a right or lower edge lies before its opposite.
void convert_boxes(BoxFormat format, DetectionResults& results, const std::string& source);

}  // namespace fovea
