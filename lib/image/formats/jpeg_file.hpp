#pragma once

#include <cstdint>
#include <vector>

#include <opencv2/core/mat.hpp>

namespace fovea {

/// A picture as a baseline JPEG file: CV_8UC3 (BGR) with 4:2:0 chroma, or CV_8UC1. By TurboJPEG with its
/// accurate DCT.
/// \param quality  1 to 100. \throws Error if the encoder fails
std::vector<std::uint8_t> jpeg_file_of(const cv::Mat& picture, int quality);

}  // namespace fovea
