#pragma once

#include <vector>

#include <opencv2/core/mat.hpp>

namespace fovea {

/// Encodes a picture as PNG. \param picture CV_8UC1, or CV_8UC3 with blue first. \throws Error
std::vector<unsigned char> encode_png(const cv::Mat& picture);

/// Encodes a picture as baseline JPEG with chroma of half the width and height. \param picture CV_8UC1, or
/// CV_8UC3 with blue first. \param quality 1 to 100. \throws Error
std::vector<unsigned char> encode_jpeg(const cv::Mat& picture, int quality);

}  // namespace fovea
