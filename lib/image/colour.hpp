#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include <opencv2/core/mat.hpp>

#include "lib/image/formats/decode.hpp"
#include "lib/image/image_location.hpp"

namespace fovea {

/// Reads an image for people to look at: CV_8UC3 (BGR), or CV_8UC1, the grey that detectors see, if the image
/// has no colours, is TIFF, PNM, GIF or a CMYK JPEG, or is packed by gzip or bzip2.
///
/// Size, orientation, limits and the notion of damage are those of read_grey_image(): a box found in the grey
/// image lies at the same place here.
///
/// \throws ImageError as read_grey_image().
cv::Mat read_picture(const std::filesystem::path& path, const DecodeOptions& options = {});

/// Reads an image from the bytes of its file.
cv::Mat read_picture(std::span<const std::uint8_t> bytes, const DecodeOptions& options = {});

/// Reads a file, or a frame of a video, which is grey.
cv::Mat read_picture(const ImageLocation& place, const DecodeOptions& options = {});

}  // namespace fovea
