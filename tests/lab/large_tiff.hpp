#pragma once

#include <filesystem>

#include <opencv2/core/mat.hpp>

#include "kernels/core/view.hpp"

namespace fovea {

/// Writes an uncompressed RGB TIFF by strips of 64 rows: the picture, a CV_8UC3 (BGR), again and again in
/// both directions. Less than 4 GiB. \throws Error if it cannot be written
void write_large_tiff(const std::filesystem::path& file, Size size, const cv::Mat& picture);

}  // namespace fovea
