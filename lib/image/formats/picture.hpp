#pragma once

#include <cstdint>

#include <opencv2/core/mat.hpp>

#include "lib/image/formats/bytes.hpp"
#include "lib/image/formats/image.hpp"

namespace fovea::codec {

/// A picture with its colours, as a decoder gives it: CV_8UC1, CV_8UC3, CV_16UC1 or CV_16UC3, red first.
struct Picture {
    cv::Mat pixels;
    int orientation = 1;  ///< EXIF's, 1 to 8; `pixels` are as stored
};

/// A matrix for a picture; its pixels are undefined. \param type as of Picture. \throws std::bad_alloc
cv::Mat make_pixels(std::int64_t width, std::int64_t height, int type);

/// The pixels of a Picture in grey, by the formulas of kernels/luma/grey.hpp.
GreyImage grey_of(const cv::Mat& pixels);

/// The pixels of a Picture with 8 bits per sample, by the formulas of kernels/luma/grey.hpp.
cv::Mat bytes_of(cv::Mat pixels);

}  // namespace fovea::codec
