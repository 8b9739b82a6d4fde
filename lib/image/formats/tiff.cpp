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

DecodedImage decode_converted(Bytes bytes, const ImageHeader& header, const TiffDirectory& directory,
                              const TiffLayout& layout) {
    // libtiff turns what it converts by the orientation tag, and multiplies colours by unassociated alpha
    // (2). Neither is wanted: it gets a copy without.
    std::vector<std::uint8_t> plain(bytes.begin(), bytes.end());
    directory.set_first_value(plain, orientation, 1);
    directory.set_first_value(plain, extra_samples, 0);
    const MemoryAccess stream(plain);
    return {read_tiff_converted(stream, TiffDirectory(stream, directory.at()), layout), header.orientation};
}

/// All that can be said of a TIFF before its pixels are unpacked.
TiffLayout checked_layout(const RandomAccess& stream, const TiffDirectory& directory) {
    const TiffLayout layout = read_tiff_layout(directory);
    check_tiff_support(directory, layout);
    check_tiff_blocks(stream, directory, layout, read_tiff_blocks(directory, layout));
    // These throw if they lie outside of the file. Others may: they do not concern the pixels.
    for (const TiffTag tag : {bits_per_sample, colour_map, extra_samples, sample_format})
        directory.count(tag);
    directory.next();  // it, too
    return layout;
}

}  // namespace

ImageHeader read_tiff_header(const RandomAccess& stream) {
    const TiffDirectory directory = find_tiff_pages(stream).picture;
    const TiffLayout layout = read_tiff_layout(directory);
    ImageHeader header{layout.width, layout.height};
    header.orientation = exif_orientation(directory).value_or(1);
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
    header.copies = is_converted_by_libtiff(layout) ? 1 : 0;
    // The dictionary of xz at its best, which is taken whole; and the window of Zstandard.
    if (layout.compression == TiffCompression::lzma) header.buffer_bytes += std::int64_t{72} << 20;
    if (layout.compression == TiffCompression::zstandard) header.buffer_bytes += std::int64_t{10} << 20;
    return header;
}

DecodedImage decode_tiff(Bytes bytes, const ImageHeader& header) {
    const MemoryAccess stream(bytes);
    const TiffPages pages = find_tiff_pages(stream);
    if (!is_converted_by_libtiff(read_tiff_layout(pages.picture)))
        return decode_tiff_in_parts(stream, header);
    DecodedImage decoded =
        decode_converted(bytes, header, pages.picture, checked_layout(stream, pages.picture));
    decoded.pages = pages.count;
    return decoded;
}

DecodedImage decode_tiff_in_parts(const RandomAccess& stream, const ImageHeader& header) {
    const TiffPages pages = find_tiff_pages(stream);
    const TiffLayout layout = checked_layout(stream, pages.picture);
    if (layout.width != header.width || layout.height != header.height || is_converted_by_libtiff(layout))
        throw ImageError("changed while it was read");
    DecodedImage decoded{read_tiff_in_parts(stream, pages.picture, layout), header.orientation};
    decoded.pages = pages.count;
    return decoded;
}

}  // namespace fovea::codec
