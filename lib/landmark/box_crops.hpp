#pragma once

#include <string>

#include <opencv2/core/mat.hpp>

#include "lib/core/types.hpp"
#include "lib/landmark/crop_options.hpp"

namespace fovea {

/// The part of a picture that a box and its margin cover.
///
/// If options.size is set, it is a square about the box's centre, whose side is (1 + 2 · margin) times the
/// longer side of the box, scaled to size × size: by areas where it shrinks, else bilinearly. The picture's
/// outermost pixels continue beyond its edges. Without a size it is the box, grown at each side by the
/// margin, rounded to whole pixels and cut off at the picture's edges.
/// \param picture CV_8UC1 or CV_8UC3. \return of the same type; empty if the box has no area, or no pixel of
/// the picture is in it.
cv::Mat box_crop(const cv::Mat& picture, const Box& box, const CropOptions& options);

/// The bytes of a PNG or JPEG file of a crop. \param crop CV_8UC1 or CV_8UC3, blue first.
std::string crop_file(const cv::Mat& crop, const CropOptions& options);

}  // namespace fovea
