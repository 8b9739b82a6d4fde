#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include <opencv2/core/mat.hpp>

#include "lib/image/formats/decode.hpp"
#include "lib/image/image_location.hpp"

namespace fovea {

/// Reads an image for people to look at: CV_8UC3 (BGR), or CV_8UC1, the grey that detectors see, where the
/// image has no colours and for TIFF, PNM, GIF, JPEG of CMYK and compressed files.
///
/// Size, orientation, limits and what counts as damaged are those of read_grey_image: a box found in the grey
/// image lies at the same place here.
///
/// \throws ImageError as read_grey_image.
cv::Mat read_picture(const std::filesystem::path& path, const DecodeOptions& options = {});

/// The same from bytes in memory; what is packed in gzip or bzip2 is shown in grey.
cv::Mat read_picture(std::span<const std::uint8_t> bytes, const DecodeOptions& options = {});

/// The same of a file or of a frame of a video, which is shown in grey.
cv::Mat read_picture(const ImageLocation& place, const DecodeOptions& options = {});

}  // namespace fovea
