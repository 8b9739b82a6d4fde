#pragma once

#include <cstdint>
#include <string>

#include "lib/core/error.hpp"

namespace fovea {

/// An image cannot be decoded. The message is the bare reason ("truncated JPEG: ..."), without the path; the
/// image's status becomes "unreadable: <reason>".
class ImageError : public Error {
  public:
    explicit ImageError(const std::string& reason) : Error(reason) {}
};

struct DecodeOptions {
    std::int64_t max_pixels = 400'000'000;  ///< larger images are refused before they are allocated
    bool apply_exif_orientation = true;
    /// 1, 2, 4 or 8: prefetchers decode JPEG pictures at 1 / this of their size, rounded up, which is much
    /// faster (libjpeg's scaled inverse DCT). Other formats keep their size.
    int largest_reduction = 1;
};

/// The names and versions of the decoders, for run.json: "libjpeg-turbo 2.1.5, libpng 1.6.39, ...".
std::string decoder_description();

}  // namespace fovea
