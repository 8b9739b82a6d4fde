#include "lib/image/image_size.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "lib/image/formats/byte_source.hpp"
#include "lib/image/formats/codec.hpp"
#include "lib/image/load.hpp"
#include "lib/image/read_grey.hpp"

namespace fovea {
namespace {

bool header_tells_all(codec::ImageFormat format) {
    return format == codec::ImageFormat::jpeg || format == codec::ImageFormat::pnm ||
           format == codec::ImageFormat::bmp || format == codec::ImageFormat::gif ||
           format == codec::ImageFormat::heif || format == codec::ImageFormat::jpeg_xl ||
           format == codec::ImageFormat::jpeg_2000;
}

/// Reads a file to a length. False if it ends before that.
bool extend(std::vector<std::uint8_t>& bytes, std::size_t length, codec::FileSource& file) {
    const std::size_t used = bytes.size();
    bytes.resize(length);
    bytes.resize(used + file.read(bytes.data() + used, length - used));
    return bytes.size() == length;
}

/// Nothing where the size does not follow from the beginning of the file.
std::optional<ImageSize> size_by_header(const std::filesystem::path& path, const DecodeOptions& options) {
    // Behind more metadata than that, a frame header is found when all of the file is read.
    constexpr std::size_t max_prefix_bytes = codec::prefix_bytes << 8;
    std::vector<std::uint8_t> bytes;
    codec::FileSource file(path, codec::FileSource::Extent::beginning);
    std::size_t length = codec::prefix_bytes;
    bool goes_on = extend(bytes, length, file);
    const codec::ImageFormat format = codec::sniff(bytes);
    if (!header_tells_all(format)) return std::nullopt;
    codec::ImageHeader header;
    for (;;) {
        try {
            header = codec::read_header(format, bytes);
            break;
        } catch (const ImageError&) {
            // Decoding says what is wrong, if it is not that the header lies further behind.
            if (!goes_on || length >= max_prefix_bytes) return std::nullopt;
        }
        length *= 4;
        goes_on = extend(bytes, length, file);
    }
    codec::check_size(header, options);
    ImageSize size{static_cast<int>(header.width), static_cast<int>(header.height)};
    const bool is_turned = options.apply_exif_orientation && format == codec::ImageFormat::jpeg &&
                           codec::read_jpeg_orientation(bytes) >= 5;
    if (is_turned) std::swap(size.width, size.height);
    return size;
}

}  // namespace

ImageSize read_image_size(const std::filesystem::path& path, const DecodeOptions& options) {
    if (const std::optional<ImageSize> size = size_by_header(path, options)) return *size;
    const GreyImage image = read_grey_image(path, options);
    return {image.width, image.height};
}

}  // namespace fovea
