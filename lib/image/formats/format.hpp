#pragma once

#include <string>

#include "lib/image/formats/bytes.hpp"

namespace fovea::codec {

enum class ImageFormat {
    unknown,
    jpeg,
    png,
    tiff,
    pnm,
    bmp,
    webp,
    gif,
    heif,
    jpeg_xl,
    jpeg_2000,
    camera_raw,
    gzip,
    bzip2
};

/// The format by the first bytes, never by a name. A few bytes (at most 32) decide. Camera raw files that are
/// built as a TIFF (DNG, NEF, ARW, ...) are a TIFF here: format_of() of codec.hpp looks into it.
ImageFormat sniff(Bytes bytes);

/// Why `bytes`, which sniff() does not know, is no image: names common formats that are not read, else shows
/// the first bytes.
std::string describe_unknown(Bytes bytes);

}  // namespace fovea::codec
