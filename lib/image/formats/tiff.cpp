#include <algorithm>
#include <string>

#include "lib/image/formats/codec.hpp"
#include "lib/image/formats/orientation.hpp"
#include "lib/image/formats/tiff_directory.hpp"
#include "lib/image/formats/tiff_reader.hpp"
#include "lib/image/formats/tiff_strips.hpp"
#include "lib/image/formats/tiff_tags.hpp"

namespace fovea::codec {
namespace {

void check_supported(const TiffLayout& layout, const TiffDirectory& directory) {
    const std::string bits = std::to_string(layout.bits);
    if (directory.value(sample_format).value_or(1) == 3)
        throw ImageError("TIFF with " + bits + "-bit floating point samples is not supported");
    if (directory.value(sample_format).value_or(1) == 2)
        throw ImageError("TIFF with signed samples is not supported");
    const bool palette = layout.photometric == 3;
    if (layout.bits != 1 && layout.bits != 8 && layout.bits != 16 && !(layout.bits == 4 && palette))
        throw ImageError("TIFF with " + bits + " bits per sample is not supported");
    if (layout.samples < 1 || layout.samples > 4)
        throw ImageError("TIFF with " + std::to_string(layout.samples) +
                         " samples per pixel is not supported");
    if (layout.bits == 16 && layout.planar && !is_read_in_parts(layout))
        throw ImageError("16-bit TIFF with planes instead of pixels is not supported");
    if (layout.photometric > 6 || layout.photometric == 4)
        throw ImageError("TIFF with photometric interpretation " + std::to_string(layout.photometric) +
                         " is not supported");
}

DecodedImage decode_converted(Bytes bytes, const ImageHeader& header, const TiffDirectory& directory,
                              const TiffLayout& layout) {
    // libtiff turns what it converts by the orientation tag, and multiplies colours by unassociated alpha
    // (2). Neither is wanted: it gets a copy without.
    std::vector<std::uint8_t> plain(bytes.begin(), bytes.end());
    directory.set_first_value(plain, orientation, 1);
    directory.set_first_value(plain, extra_samples, 0);
    return {read_tiff_converted(MemoryAccess(plain), layout), header.orientation};
}

/// All that can be said of a TIFF before its pixels are unpacked.
TiffLayout checked_layout(const RandomAccess& stream, const TiffDirectory& directory) {
    const TiffLayout layout = read_tiff_layout(directory);
    check_supported(layout, directory);
    check_tiff_blocks(stream, directory, layout, read_tiff_blocks(directory, layout));
    // These throw if they lie outside of the file. Others may: they do not concern the pixels.
    for (const TiffTag tag : {bits_per_sample, colour_map, extra_samples, sample_format})
        directory.count(tag);
    if (directory.next_directory_at() + 4 > stream.size())
        throw_truncated("TIFF", "it ends inside its directory");
    return layout;
}

}  // namespace

ImageHeader read_tiff_header(const RandomAccess& stream) {
    const TiffDirectory directory(stream);
    const TiffLayout layout = read_tiff_layout(directory);
    ImageHeader header{layout.width, layout.height};
    header.orientation = exif_orientation(directory);
    if (header.width <= 0 || header.height <= 0) return header;
    header.read_in_parts = is_read_in_parts(layout);
    if (header.read_in_parts) {
        header.buffer_bytes = tiff_part_bytes(directory, layout, read_tiff_blocks(directory, layout));
        return header;
    }
    // One strip or tile at a time is held twice: as libtiff unpacks it, and in four channels of 8 bits.
    const int depth = layout.bits <= 8 ? 1 : 2;
    header.buffer_bytes = saturating_product(layout.block_width, layout.block_height,
                                             4 + depth * std::min<std::int64_t>(layout.samples, 4));
    header.copied = true;
    return header;
}

DecodedImage decode_tiff(Bytes bytes, const ImageHeader& header) {
    const MemoryAccess stream(bytes);
    if (header.read_in_parts) return decode_tiff_in_parts(stream, header);
    const TiffDirectory directory(stream);
    return decode_converted(bytes, header, directory, checked_layout(stream, directory));
}

DecodedImage decode_tiff_in_parts(const RandomAccess& stream, const ImageHeader& header) {
    const TiffDirectory directory(stream);
    const TiffLayout layout = checked_layout(stream, directory);
    if (layout.width != header.width || layout.height != header.height || !is_read_in_parts(layout))
        throw ImageError("changed while it was read");
    return {read_tiff_in_parts(stream, layout), header.orientation};
}

}  // namespace fovea::codec
