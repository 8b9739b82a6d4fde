#pragma once

#include <opencv2/core/mat.hpp>

#include "lib/image/formats/bytes.hpp"
#include "lib/image/formats/codec.hpp"

namespace fovea::codec {

/// Decodes with cv::imdecode, as stored (all bits, no orientation). OpenCV's messages about damage go
/// nowhere but into the error. OpenCV 4.6 takes at most 2^20 pixels a side and 2^30 in all.
/// \throws ImageError if OpenCV fails, or if the size differs from the header's
cv::Mat decode_with_opencv(Bytes bytes, const ImageHeader& header, const char* format);

/// 1, 3 (BGR) or 4 (BGRA) channels of 8 or 16 bits to grey by the formulas of grey.hpp.
/// \throws ImageError for any other kind of pixel
GreyImage grey_of(const cv::Mat& picture, const char* format);

}  // namespace fovea::codec
