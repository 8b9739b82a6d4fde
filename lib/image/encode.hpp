#pragma once

#include <vector>

#include <opencv2/core/mat.hpp>

namespace fovea {

/// A PNG without loss. \param picture  CV_8UC1, or CV_8UC3 in OpenCV's order (blue first). \throws Error
std::vector<unsigned char> encode_png(const cv::Mat& picture);

/// A baseline JPEG with chroma of half the width and height. \param picture  as of encode_png
/// \param quality  1 to 100. \throws Error
std::vector<unsigned char> encode_jpeg(const cv::Mat& picture, int quality);

}  // namespace fovea
