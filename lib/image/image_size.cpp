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

/// The beginning of a file with its header, as far as that was needed.
struct Beginning {
    std::vector<std::uint8_t> bytes;
    codec::ImageFormat format = codec::ImageFormat::unknown;
    codec::ImageHeader header;
};

/// Nothing where `is_wanted(format)` is false, or the header lies behind more metadata than is looked at.
template <class IsWanted>
std::optional<Beginning> read_beginning(codec::FileSource& file, IsWanted is_wanted) {
    constexpr std::size_t max_prefix_bytes = codec::prefix_bytes << 8;
    Beginning beginning;
    std::size_t length = codec::prefix_bytes;
    bool goes_on = extend(beginning.bytes, length, file);
    beginning.format = codec::sniff(beginning.bytes);
    if (!is_wanted(beginning.format)) return std::nullopt;
    for (;;) {
        try {
            beginning.header = codec::read_header(beginning.format, beginning.bytes);
            return beginning;
        } catch (const ImageError&) {
            // Decoding says what is wrong, if it is not that the header lies further behind.
            if (!goes_on || length >= max_prefix_bytes) return std::nullopt;
        }
        length *= 4;
        goes_on = extend(beginning.bytes, length, file);
    }
}

/// Nothing where the size does not follow from the beginning of the file.
std::optional<ImageSize> size_by_header(const std::filesystem::path& path, const DecodeOptions& options) {
    codec::FileSource file(path, codec::FileSource::Extent::beginning);
    const std::optional<Beginning> beginning = read_beginning(file, header_tells_all);
    if (!beginning) return std::nullopt;
    codec::check_size(beginning->header, options);
    ImageSize size{static_cast<int>(beginning->header.width), static_cast<int>(beginning->header.height)};
    const bool is_turned = options.apply_exif_orientation && beginning->format == codec::ImageFormat::jpeg &&
                           codec::read_jpeg_orientation(beginning->bytes) >= 5;
    if (is_turned) std::swap(size.width, size.height);
    return size;
}

/// The formats whose orientation is not part of the picture.
bool has_exif_orientation(codec::ImageFormat format) {
    return format == codec::ImageFormat::jpeg || format == codec::ImageFormat::png ||
           format == codec::ImageFormat::tiff || format == codec::ImageFormat::webp;
}

int orientation_of(Beginning& beginning, codec::FileSource& file) {
    switch (beginning.format) {
        case codec::ImageFormat::jpeg:
            return codec::read_jpeg_orientation(beginning.bytes);
        case codec::ImageFormat::png:
            return codec::read_png_orientation(beginning.bytes);
        case codec::ImageFormat::webp:
            // It stands behind the pixels.
            if (codec::has_webp_exif(beginning.bytes)) extend(beginning.bytes, file.size(), file);
            return codec::read_webp_orientation(beginning.bytes);
        default:
            return beginning.header.orientation;
    }
}

}  // namespace

ImageSize read_image_size(const std::filesystem::path& path, const DecodeOptions& options) {
    if (const std::optional<ImageSize> size = size_by_header(path, options)) return *size;
    const GreyImage image = read_grey_image(path, options);
    return {image.width, image.height};
}

std::optional<StoredSize> read_stored_size(const std::filesystem::path& path) {
    try {
        codec::FileSource file(path, codec::FileSource::Extent::beginning);
        std::optional<Beginning> beginning = read_beginning(file, has_exif_orientation);
        if (!beginning) return std::nullopt;
        codec::check_size(beginning->header, {});
        return StoredSize{
            {static_cast<int>(beginning->header.width), static_cast<int>(beginning->header.height)},
            orientation_of(*beginning, file)};
    } catch (const ImageError&) {
        return std::nullopt;
    }
}

}  // namespace fovea
