#pragma once

#include <cstdint>
#include <string>

#include "lib/core/error.hpp"

namespace fovea {

/// An image that cannot be decoded. The message is the bare reason ("truncated JPEG: ..."), without the path:
/// it becomes the status "unreadable: <reason>" of that image.
class ImageError : public Error {
  public:
    explicit ImageError(const std::string& reason) : Error(reason) {}
};

struct DecodeOptions {
    std::int64_t max_pixels = 400'000'000;  ///< larger images are refused before they are allocated
    bool apply_exif_orientation = true;
    /// 1, 2, 4 or 8: a prefetcher hands out JPEG pictures at 1 / this of their size, rounded up, which costs
    /// a fraction of their decoding (libjpeg's scaled inverse DCT). Other formats keep their size.
    int largest_reduction = 1;
};

/// Names and versions of the decoders in use, for run.json, e.g. "libjpeg-turbo 2.1.5, libpng 1.6.39,
/// libwebp 1.2.4".
std::string decoder_description();

}  // namespace fovea
