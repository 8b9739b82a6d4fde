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
/// \param length  bytes that are read at first
template <class IsWanted>
std::optional<Beginning> read_beginning(codec::FileSource& file, std::size_t length, IsWanted is_wanted) {
    constexpr std::size_t max_prefix_bytes = codec::prefix_bytes << 8;
    Beginning beginning;
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
    const std::optional<Beginning> beginning = read_beginning(file, codec::prefix_bytes, header_tells_all);
    if (!beginning) return std::nullopt;
    codec::check_size(beginning->header, options);
    ImageSize size{static_cast<int>(beginning->header.width), static_cast<int>(beginning->header.height)};
    const bool is_turned = options.apply_exif_orientation && beginning->format == codec::ImageFormat::jpeg &&
                           codec::read_jpeg_orientation(beginning->bytes) >= 5;
    if (is_turned) std::swap(size.width, size.height);
    return size;
}

int orientation_of(const Beginning& beginning, const codec::RandomAccess& stream) {
    if (beginning.format == codec::ImageFormat::jpeg) return codec::read_jpeg_orientation(beginning.bytes);
    return beginning.format == codec::ImageFormat::png ? codec::read_png_orientation(stream)
                                                       : codec::read_webp_orientation(stream);
}

StoredSize stored_size(const codec::ImageHeader& header, int orientation) {
    codec::check_size(header, {});
    return {{static_cast<int>(header.width), static_cast<int>(header.height)}, orientation};
}

}  // namespace

ImageSize read_image_size(const std::filesystem::path& path, const DecodeOptions& options) {
    if (const std::optional<ImageSize> size = size_by_header(path, options)) return *size;
    const GreyImage image = read_grey_image(path, options);
    return {image.width, image.height};
}

std::optional<StoredSize> read_stored_size(const std::filesystem::path& path) {
    // Sets have many images, and most need no more.
    constexpr std::size_t few_bytes = std::size_t{16} << 10;
    try {
        codec::FileSource file(path, codec::FileSource::Extent::beginning);
        const codec::RandomAccess& stream = *file.random_access();
        if (codec::format_of(stream) == codec::ImageFormat::tiff) {
            const codec::ImageHeader header = codec::read_tiff_header(stream);
            return stored_size(header, header.orientation);
        }
        const std::optional<Beginning> beginning =
            read_beginning(file, few_bytes, [](codec::ImageFormat format) {
                return format == codec::ImageFormat::jpeg || format == codec::ImageFormat::png ||
                       format == codec::ImageFormat::webp;
            });
        if (!beginning) return std::nullopt;
        return stored_size(beginning->header, orientation_of(*beginning, stream));
    } catch (const ImageError&) {
        return std::nullopt;
    }
}

}  // namespace fovea
