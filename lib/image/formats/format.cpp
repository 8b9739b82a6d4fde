#include "lib/image/formats/format.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "lib/files/unpacker.hpp"

namespace fovea::codec {
namespace {

/// The first box of a file in ISO's container (ISO/IEC 14496-12) names its kind.
ImageFormat format_by_brand(Bytes bytes) {
    for (const char* brand : {"heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1", "avif", "avis"})
        if (has_magic(bytes, 8, brand, 4)) return ImageFormat::heif;
    return has_magic(bytes, 8, "crx ", 4) ? ImageFormat::camera_raw : ImageFormat::unknown;
}

}  // namespace

ImageFormat sniff(Bytes bytes) {
    const auto begins = [&](const char* magic, std::size_t length) {
        return has_magic(bytes, 0, magic, length);
    };
    if (begins("\xff\xd8\xff", 3)) return ImageFormat::jpeg;
    if (begins("\x89PNG\r\n\x1a\n", 8)) return ImageFormat::png;
    if (begins("II\x2a\0", 4) || begins("MM\0\x2a", 4)) return ImageFormat::tiff;
    if (begins("GIF87a", 6) || begins("GIF89a", 6)) return ImageFormat::gif;
    if (begins("RIFF", 4) && has_magic(bytes, 8, "WEBP", 4)) return ImageFormat::webp;
    if (has_magic(bytes, 4, "ftyp", 4)) return format_by_brand(bytes);
    if (begins("\0\0\0\x0cjP  \r\n\x87\n", 12) || begins("\xff\x4f\xff\x51", 4))
        return ImageFormat::jpeg_2000;
    if (begins("\0\0\0\x0cJXL \r\n\x87\n", 12) || begins("\xff\x0a", 2)) return ImageFormat::jpeg_xl;
    // Olympus, Panasonic, Fujifilm, Canon before 2004, Minolta, Sigma.
    if (begins("IIRO", 4) || begins("IIRS", 4) || begins("MMOR", 4) || begins("IIU\0", 4) ||
        begins("FUJIFILMCCD-RAW", 15) || begins("II\x1a\0\0\0HEAPCCDR", 14) || begins("\0MRM", 4) ||
        begins("FOVb", 4))
        return ImageFormat::camera_raw;
    if (const auto packing = packing_of({reinterpret_cast<const char*>(bytes.data()), bytes.size()}))
        return *packing == Packing::gzip ? ImageFormat::gzip : ImageFormat::bzip2;
    if (begins("BM", 2)) return ImageFormat::bmp;
    if (bytes.size() > 2 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '6' &&
        std::strchr(" \t\n\v\f\r#", bytes[2]) != nullptr && bytes[2] != 0)
        return ImageFormat::pnm;
    return ImageFormat::unknown;
}

std::string describe_unknown(Bytes bytes) {
    const auto unsupported = [](const char* name) { return std::string(name) + " is not supported"; };
    if (bytes.empty()) return "empty file";
    if (has_magic(bytes, 4, "ftyp", 4)) return unsupported("MP4 or another video as an image");
    if (has_magic(bytes, 0, "II\x2b\0", 4) || has_magic(bytes, 0, "MM\0\x2b", 4))
        return unsupported("BigTIFF");
    if (has_magic(bytes, 0, "P7\n", 3)) return unsupported("PAM");

    std::string hex, text;
    for (const std::uint8_t byte : bytes.first(std::min<std::size_t>(bytes.size(), 8))) {
        char two[4];
        std::snprintf(two, sizeof two, " %02x", byte);
        hex += two;
        text += byte >= 0x20 && byte < 0x7f ? static_cast<char>(byte) : '.';
    }
    return "not an image of a known format: begins with" + hex + " (" + text + ")";
}

}  // namespace fovea::codec
