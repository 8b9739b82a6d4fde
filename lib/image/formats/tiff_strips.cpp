#include "lib/image/formats/tiff_strips.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <string>
#include <vector>

#include <zlib.h>

#include "lib/image/formats/decode.hpp"
#include "lib/image/formats/tiff_tags.hpp"

namespace fovea::codec {
namespace {

/// Values of a list that are held at a time.
constexpr std::size_t list_part = 4096;

enum class Outcome { complete, too_short, corrupt };

/// Inflates without keeping anything. The checksum counts where the stream is as long as expected.
Outcome check_deflate(Bytes strip, std::uint64_t expected) {
    std::vector<std::uint8_t> sink(std::size_t{64} << 10);
    z_stream stream{};
    if (inflateInit(&stream) != Z_OK) throw std::bad_alloc();
    stream.next_in = const_cast<Bytef*>(strip.data());
    stream.avail_in = static_cast<uInt>(strip.size());
    std::uint64_t produced = 0;
    int status = Z_OK;
    while (status == Z_OK && produced <= expected) {
        stream.next_out = sink.data();
        stream.avail_out = static_cast<uInt>(sink.size());
        status = inflate(&stream, Z_NO_FLUSH);
        produced += sink.size() - stream.avail_out;
    }
    inflateEnd(&stream);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status == Z_DATA_ERROR || status == Z_NEED_DICT) return Outcome::corrupt;
    return produced >= expected ? Outcome::complete : Outcome::too_short;
}

/// TIFF's LZW (codes from the most significant bit; a code becomes longer one entry early). Follows the
/// codes' lengths only.
Outcome check_lzw(Bytes strip, std::uint64_t expected) {
    constexpr std::uint32_t clear = 256, end = 257, first_free = 258, table_size = 5120;
    // A full table is allowed to count on for a while, as libtiff does; no code reaches those entries.
    // A strip of the old, least-significant-bit-first kind: libtiff reads it, but it is not followed here.
    if (strip.size() >= 2 && strip[0] == 0 && (strip[1] & 1) != 0) return Outcome::complete;
    std::array<std::uint32_t, table_size> length{};
    std::fill_n(length.begin(), 256, 1u);
    std::uint32_t next = first_free, bits = 9, buffer = 0, buffered = 0;
    std::uint32_t previous = clear;
    std::uint64_t produced = 0;
    std::size_t at = 0;
    while (produced < expected) {
        while (buffered < bits) {
            if (at >= strip.size()) return Outcome::too_short;
            buffer = buffer << 8 | strip[at++];
            buffered += 8;
        }
        const std::uint32_t code = buffer >> (buffered - bits) & ((1u << bits) - 1);
        buffered -= bits;
        if (code == end) return Outcome::too_short;
        if (code == clear) {
            next = first_free;
            bits = 9;
            previous = clear;
            continue;
        }
        if (previous == clear) {
            if (code > 255) return Outcome::corrupt;
        } else {
            if (code > next || next >= table_size) return Outcome::corrupt;
            length[next++] = length[previous] + 1;
            if (next + 1 >= 1u << bits && bits < 12) ++bits;
        }
        produced += length[code];
        previous = code;
    }
    return Outcome::complete;
}

Outcome check_pack_bits(Bytes strip, std::uint64_t expected) {
    std::uint64_t produced = 0;
    for (std::size_t at = 0; produced < expected;) {
        if (at >= strip.size()) return Outcome::too_short;
        const std::size_t n = strip[at++];
        if (n == 128) continue;
        const std::size_t input = n < 128 ? n + 1 : 1;
        if (at + input > strip.size()) return Outcome::too_short;
        produced += n < 128 ? n + 1 : 257 - n;
        at += input;
    }
    return Outcome::complete;
}

bool is_followed(TiffCompression kind) {
    using enum TiffCompression;
    return kind == lzw || kind == adobe_deflate || kind == deflate || kind == pack_bits;
}

Outcome check_block(Bytes strip, std::uint64_t expected, TiffCompression kind) {
    switch (kind) {
        case TiffCompression::lzw:
            return check_lzw(strip, expected);
        case TiffCompression::pack_bits:
            return check_pack_bits(strip, expected);
        default:
            return check_deflate(strip, expected);
    }
}

/// A tile may be larger than a small image, but a tile's size alone must not make the decoder allocate what
/// the limit on pixels is there to prevent.
void check_tile_size(const TiffLayout& layout) {
    constexpr std::uint64_t always_allowed = std::uint64_t{1} << 24, never_allowed = std::uint64_t{1} << 30;
    // All four are below 2^32.
    const std::uint64_t pixels =
        static_cast<std::uint64_t>(layout.width) * static_cast<std::uint64_t>(layout.height);
    const std::uint64_t tile =
        static_cast<std::uint64_t>(layout.block_width) * static_cast<std::uint64_t>(layout.block_height);
    if (pixels > 0 && (tile > never_allowed || (tile > always_allowed && tile / 4 > pixels)))
        throw ImageError("TIFF with tiles of " + std::to_string(layout.block_width) + " x " +
                         std::to_string(layout.block_height) + " pixels for an image of " +
                         std::to_string(layout.width) + " x " + std::to_string(layout.height) +
                         " is not supported");
}

}  // namespace

TiffLayout read_tiff_layout(const TiffDirectory& directory) {
    const auto required = [&](TiffTag tag, const char* name) {
        const auto value = directory.value(tag);
        if (!value) throw ImageError(std::string("corrupt TIFF: it does not give its ") + name);
        return *value;
    };
    TiffLayout layout;
    layout.width = required(image_width, "width");
    layout.height = required(image_length, "height");
    layout.photometric = required(photometric, "photometric interpretation");
    layout.bits = directory.value(bits_per_sample).value_or(1);
    layout.samples = directory.value(samples_per_pixel).value_or(1);
    layout.compression = TiffCompression{directory.value(compression).value_or(1)};
    layout.planar = directory.value(planar_configuration).value_or(1) == 2 && layout.samples > 1;
    layout.tiled = directory.find(tile_offsets) != nullptr;
    layout.block_width = layout.tiled ? required(tile_width, "tile width") : layout.width;
    layout.block_height =
        layout.tiled
            ? required(tile_length, "tile height")
            : std::min<std::int64_t>(layout.height, directory.value(rows_per_strip).value_or(0xffffffff));
    if (layout.width > 0 && layout.height > 0 && (layout.block_width == 0 || layout.block_height == 0))
        throw ImageError("corrupt TIFF: strips or tiles without pixels");
    if (layout.tiled) check_tile_size(layout);
    return layout;
}

TiffBlocks read_tiff_blocks(const TiffDirectory& directory, const TiffLayout& layout) {
    TiffBlocks blocks;
    const auto up = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
    constexpr std::int64_t most = std::int64_t{1} << 24;
    blocks.across = up(layout.width, layout.block_width);
    blocks.count = saturating_product(blocks.across, up(layout.height, layout.block_height),
                                      layout.planar ? layout.samples : 1);
    // In this order: compilers differ in which argument of a function they look at first, and either may
    // throw.
    const TiffTag lengths = layout.tiled ? tile_byte_counts : strip_byte_counts;
    const std::size_t length_count = directory.count(lengths);
    const std::size_t offset_count = directory.count(layout.tiled ? tile_offsets : strip_offsets);
    const std::size_t there = std::min(length_count, offset_count);
    if (static_cast<std::int64_t>(there) < blocks.count)
        throw_truncated("TIFF", "the pixels need " + std::to_string(blocks.count) +
                                    " strips or tiles, it has " + std::to_string(there));
    if (blocks.count > most)
        throw ImageError("TIFF with " + std::to_string(blocks.count) + " strips or tiles is not supported");
    const auto count = static_cast<std::size_t>(blocks.count);
    for (std::size_t first = 0; first < count; first += list_part)
        for (const std::uint32_t length :
             directory.values(lengths, first, std::min(list_part, count - first)))
            blocks.longest = std::max(blocks.longest, length);
    return blocks;
}

void check_tiff_blocks(const RandomAccess& stream, const TiffDirectory& directory, const TiffLayout& layout,
                       const TiffBlocks& blocks) {
    const char* const what = layout.tiled ? "tile " : "strip ";
    // Subsampled chroma (YCbCr) makes rows of another length, and a reversed bit order other codes.
    const bool follow = layout.photometric != 6 && directory.value(fill_order).value_or(1) == 1;
    const std::int64_t row_bytes =
        (layout.block_width * layout.bits * (layout.planar ? 1 : layout.samples) + 7) / 8;
    const std::int64_t down = (layout.height + layout.block_height - 1) / layout.block_height;
    std::vector<std::uint8_t> block;
    std::vector<std::uint32_t> offsets, lengths;
    for (std::int64_t i = 0; i < blocks.count; ++i) {
        const std::size_t index = static_cast<std::size_t>(i) % list_part;
        if (index == 0) {
            const auto first = static_cast<std::size_t>(i);
            const std::size_t part = std::min(list_part, static_cast<std::size_t>(blocks.count) - first);
            offsets = directory.values(layout.tiled ? tile_offsets : strip_offsets, first, part);
            lengths = directory.values(layout.tiled ? tile_byte_counts : strip_byte_counts, first, part);
        }
        const std::string name = what + std::to_string(i + 1) + " of " + std::to_string(blocks.count);
        const std::uint32_t offset = offsets[index], length = lengths[index];
        const std::uint64_t end = std::uint64_t{offset} + length;
        if (end > stream.size())
            throw_truncated("TIFF", name + " ends at byte " + std::to_string(end) + " of " +
                                        std::to_string(stream.size()));
        if (length == 0) throw_truncated("TIFF", name + " is empty");
        if (!follow) continue;
        const std::int64_t first_row = i / blocks.across % down * layout.block_height;
        const std::int64_t rows =
            layout.tiled ? layout.block_height : std::min(layout.block_height, layout.height - first_row);
        const auto expected = static_cast<std::uint64_t>(saturating_product(row_bytes, rows));
        Outcome outcome = Outcome::complete;
        if (layout.compression == TiffCompression::none) {
            if (length < expected) outcome = Outcome::too_short;
        } else if (is_followed(layout.compression)) {
            block.resize(length);
            if (stream.read_at(offset, block.data(), length) < length)
                throw ImageError("changed while it was read");
            outcome = check_block(block, expected, layout.compression);
        }
        if (outcome == Outcome::too_short)
            throw_truncated("TIFF", name + " holds fewer pixels than it should");
        if (outcome == Outcome::corrupt) throw ImageError("corrupt TIFF: " + name + " cannot be unpacked");
    }
}

}  // namespace fovea::codec
