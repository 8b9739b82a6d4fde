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

/// The format by the first bytes, of which at most 32 matter. Raw files of cameras that are built as a TIFF
/// (DNG, NEF, ARW, ...) are TIFF here; format_of() of codec.hpp looks into them.
ImageFormat sniff(Bytes bytes);

/// The reason why bytes that sniff() does not know are no image: the name of a common format that is not
/// read, or the first bytes.
std::string describe_unknown(Bytes bytes);

}  // namespace fovea::codec
