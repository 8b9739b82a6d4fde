#include "lib/image/image_size.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "lib/image/byte_source.hpp"
#include "lib/image/codec.hpp"
#include "lib/image/load.hpp"

namespace fovea {
namespace {

bool header_tells_all(codec::ImageFormat format) {
    return format == codec::ImageFormat::jpeg || format == codec::ImageFormat::pnm ||
           format == codec::ImageFormat::bmp || format == codec::ImageFormat::gif;
}

/// Nothing where the size does not follow from the beginning of the file.
std::optional<ImageSize> size_by_header(const std::filesystem::path& path, const DecodeOptions& options) {
    std::vector<std::uint8_t> bytes(codec::prefix_bytes);
    codec::FileSource file(path, codec::FileSource::Extent::beginning);
    bytes.resize(file.read(bytes.data(), bytes.size()));
    const codec::ImageFormat format = codec::sniff(bytes);
    if (!header_tells_all(format)) return std::nullopt;
    codec::ImageHeader header;
    try {
        header = codec::read_header(format, bytes);
    } catch (const ImageError&) {
        return std::nullopt;  // it may need more than the beginning; if not, decoding says what is wrong
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
