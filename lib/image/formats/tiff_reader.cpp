#include "lib/image/formats/tiff_reader.hpp"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <tiffio.h>

#include "kernels/luma/grey.hpp"
#include "lib/image/formats/decode.hpp"
#include "lib/image/formats/tiff_tags.hpp"

namespace fovea::codec {
namespace {

constexpr int planes_at_most = 4;

/// TIFF's numbers of what samples are.
enum Photometric : std::uint32_t {
    white_is_zero = 0,
    black_is_zero = 1,
    rgb = 2,
    palette = 3,
    cmyk = 5,
    ycbcr = 6
};

/// A kind of samples that is read.
struct SampleKind {
    Photometric photometric;
    const char* name;
    std::uint32_t colours;  ///< samples that make a pixel; others may follow
    std::array<std::uint32_t, 5> bits;
};
constexpr std::array<SampleKind, 6> sample_kinds = {{{white_is_zero, "grey", 1, {1, 2, 4, 8, 16}},
                                                     {black_is_zero, "grey", 1, {1, 2, 4, 8, 16}},
                                                     {rgb, "RGB", 3, {8, 16}},
                                                     {palette, "palette", 1, {1, 2, 4, 8}},
                                                     {cmyk, "CMYK", 4, {8, 16}},
                                                     {ycbcr, "YCbCr", 3, {8}}}};

/// Nothing for one that is not read.
const SampleKind* kind_of(const TiffLayout& layout) {
    const auto found = std::find_if(sample_kinds.begin(), sample_kinds.end(), [&](const SampleKind& kind) {
        return kind.photometric == layout.photometric;
    });
    return found == sample_kinds.end() ? nullptr : &*found;
}

bool has_bits(const SampleKind& kind, const TiffLayout& layout) {
    return layout.bits > 0 && std::find(kind.bits.begin(), kind.bits.end(), layout.bits) != kind.bits.end();
}

/// How many samples make a pixel, in a kind that is read.
int colours_of(const TiffLayout& layout) {
    return static_cast<int>(kind_of(layout)->colours);
}

struct CloseTiff {
    void operator()(TIFF* tiff) const { TIFFClose(tiff); }
};
struct FreeOptions {
    void operator()(TIFFOpenOptions* options) const { TIFFOpenOptionsFree(options); }
};

/// A picture of a stream as libtiff reads it, and what libtiff has to say.
class TiffFile {
  public:
    TiffFile(const RandomAccess& stream, const TiffDirectory& directory) : stream_(stream) {
        const std::unique_ptr<TIFFOpenOptions, FreeOptions> options(TIFFOpenOptionsAlloc());
        if (!options) throw std::bad_alloc();
        // A damaged directory asks for more than any file needs. A refusal below that is the machine's lack
        // of memory.
        const std::uint64_t max_allocation =
            std::max<std::uint64_t>(std::uint64_t{1} << 30, 4 * stream.size());
        TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(),
                                            static_cast<tmsize_t>(std::min<std::uint64_t>(
                                                max_allocation, std::numeric_limits<tmsize_t>::max())));
        TIFFOpenOptionsSetErrorHandlerExtR(options.get(), take_error, this);
        TIFFOpenOptionsSetWarningHandlerExtR(options.get(), take_warning, this);
        // m: not mapped into memory; h: no directory is read yet.
        tiff_.reset(TIFFClientOpenExt("TIFF", "rmh", this, read, write, seek, close, size, map, unmap,
                                      options.get()));
        const bool is_there = tiff_ && TIFFSetSubDirectory(tiff_.get(), directory.at()) != 0;
        throw_failure();
        if (!is_there) throw ImageError("corrupt TIFF: " + complaint_);
        reads_pixels_ = true;
        complaint_.clear();
    }
    TiffFile(const TiffFile&) = delete;
    TiffFile& operator=(const TiffFile&) = delete;

    TIFF* get() const { return tiff_.get(); }

    template <class Number>
    Number field(std::uint32_t tag) const {
        Number value = 0;
        TIFFGetFieldDefaulted(tiff_.get(), tag, &value);
        return value;
    }

    /// \param succeeded  what libtiff returned for a part of the pixels
    void check(bool succeeded, const char* part, std::int64_t number, std::int64_t count) const {
        throw_failure();
        if (succeeded && complaint_.empty()) return;
        const std::string what =
            std::string(part) + std::to_string(number + 1) + " of " + std::to_string(count);
        throw ImageError("corrupt TIFF: " + what + " cannot be unpacked" +
                         (complaint_.empty() ? "" : ": " + complaint_));
    }

  private:
    void throw_failure() const {
        if (failure_) std::rethrow_exception(failure_);
        for (const char* text : {"out of memory", "Out of memory", "Failed to allocate", "No space for"}) {
            if (complaint_.find(text) != std::string::npos) throw std::bad_alloc();
        }
    }

    static TiffFile& self(thandle_t handle) { return *static_cast<TiffFile*>(handle); }

    static tmsize_t read(thandle_t handle, void* to, tmsize_t length) {
        TiffFile& file = self(handle);
        try {
            const std::size_t count = file.stream_.read_at(file.at_, static_cast<std::uint8_t*>(to),
                                                           static_cast<std::size_t>(length));
            file.at_ += count;
            return static_cast<tmsize_t>(count);
        } catch (...) {
            // No exception may pass through C code: it is thrown again behind it.
            file.failure_ = std::current_exception();
            return 0;
        }
    }
    static tmsize_t write(thandle_t, void*, tmsize_t) { return 0; }
    static toff_t seek(thandle_t handle, toff_t offset, int whence) {
        TiffFile& file = self(handle);
        const std::uint64_t from = whence == SEEK_SET   ? 0
                                   : whence == SEEK_CUR ? file.at_
                                                        : file.stream_.size();
        return file.at_ = from + offset;
    }
    static int close(thandle_t) { return 0; }
    static toff_t size(thandle_t handle) { return self(handle).stream_.size(); }
    static int map(thandle_t, void**, toff_t*) { return 0; }
    static void unmap(thandle_t, void*, toff_t) {}

    static int take_error(TIFF*, void* user, const char*, const char* format, va_list arguments) {
        self(user).note(format, arguments);
        return 1;
    }
    static int take_warning(TIFF*, void* user, const char*, const char* format, va_list arguments) {
        TiffFile& file = self(user);
        // Warnings about the directory concern tags. No damage: codes of the old kind of LZW; a last strip
        // that is longer than what is left of the image.
        const std::string text = format;
        const bool harmless = !file.reads_pixels_ || text.find("Old-style LZW") == 0 ||
                              text.find("JPEG strip size exceeds expected") == 0;
        if (!harmless) file.note(format, arguments);
        return 1;
    }
    void note(const char* format, va_list arguments) {
        if (!complaint_.empty()) return;
        std::array<char, 300> text{};
        std::vsnprintf(text.data(), text.size(), format, arguments);
        complaint_ = text.data();
    }

    const RandomAccess& stream_;
    std::uint64_t at_ = 0;
    bool reads_pixels_ = false;
    std::string complaint_;                  // the first one
    std::exception_ptr failure_;             // of the stream
    std::unique_ptr<TIFF, CloseTiff> tiff_;  // last: it uses the others while it is closed
};

/// True if whole strips or tiles are read, not rows. Runs of PackBits may go on from one row into the next,
/// which libtiff cannot follow row by row.
bool is_read_by_blocks(const TiffLayout& layout) {
    return layout.tiled || layout.planar || layout.compression == TiffCompression::pack_bits;
}

/// How the samples of one row become grey.
class RowToGrey {
  public:
    RowToGrey(const TiffDirectory& directory, const TiffLayout& layout)
        : bits_(layout.bits),
          step_(layout.planar ? 1 : layout.samples),
          photometric_(layout.photometric),
          is_planar_(layout.planar) {
        if (colours_of(layout) == 1 && bits_ <= 8) greys_ = greys_of_samples(directory);
    }

    /// \param planes  the row in each plane; all in the first one unless planar
    void convert(const std::array<const std::uint8_t*, planes_at_most>& planes, std::int64_t count,
                 std::uint8_t* to) const {
        if (!greys_.empty())
            look_up(planes[0], count, to);
        else if (bits_ == 8)
            convert_samples<std::uint8_t>(planes, count, to, [](std::uint32_t v) { return v; });
        else
            convert_samples<std::uint16_t>(planes, count, to,
                                           [](std::uint32_t v) { return byte_of_16_bits(v); });
    }

  private:
    /// For every value of a sample of at most 8 bits.
    std::vector<std::uint8_t> greys_of_samples(const TiffDirectory& directory) const {
        const std::size_t count = std::size_t{1} << bits_;
        std::vector<std::uint8_t> greys(count);
        if (photometric_ != palette) {
            const auto maximum = static_cast<std::uint32_t>(count - 1);
            for (std::uint32_t v = 0; v < count; ++v)
                greys[v] = byte_of_sample(photometric_ == white_is_zero ? maximum - v : v, maximum);
            return greys;
        }
        if (directory.count(colour_map) < 3 * count)
            throw ImageError("corrupt TIFF: its palette is too short");
        std::vector<std::uint32_t> map = directory.values(colour_map, 0, 3 * count);
        // Colours have 16 bits, some programs' have 8. Writers multiply by 256 or 257, so the high byte
        // counts.
        const bool is_wide = std::any_of(map.begin(), map.end(), [](std::uint32_t v) { return v > 255; });
        if (is_wide)
            for (std::uint32_t& v : map) v = v >> 8 & 255;
        for (std::size_t i = 0; i < count; ++i)
            greys[i] = grey_of_rgb(map[i], map[count + i], map[2 * count + i]);
        return greys;
    }

    void look_up(const std::uint8_t* from, std::int64_t count, std::uint8_t* to) const {
        const std::uint32_t mask = (1u << bits_) - 1;
        for (std::int64_t x = 0, bit = 0; x < count; ++x, bit += step_ * bits_)
            to[x] = greys_[from[bit / 8] >> (8 - bits_ - bit % 8) & mask];
    }

    template <class Sample, class ToByte>
    void convert_samples(const std::array<const std::uint8_t*, planes_at_most>& planes, std::int64_t count,
                         std::uint8_t* to, ToByte to_byte) const {
        const auto sample = [&](std::size_t i) {
            return is_planar_ ? reinterpret_cast<const Sample*>(planes[i])
                              : reinterpret_cast<const Sample*>(planes[0]) + i;
        };
        const Sample *first = sample(0), *second = sample(1), *third = sample(2), *fourth = sample(3);
        constexpr Sample full = Sample(~Sample{0});
        if (photometric_ == rgb)
            for (std::int64_t x = 0; x < count; ++x)
                to[x] = grey_of_rgb(to_byte(first[x * step_]), to_byte(second[x * step_]),
                                    to_byte(third[x * step_]));
        else if (photometric_ == cmyk)
            for (std::int64_t x = 0; x < count; ++x)
                to[x] = grey_of_inverted_cmyk(
                    to_byte(full - first[x * step_]), to_byte(full - second[x * step_]),
                    to_byte(full - third[x * step_]), to_byte(full - fourth[x * step_]));
        else
            for (std::int64_t x = 0; x < count; ++x)
                to[x] = static_cast<std::uint8_t>(
                    to_byte(photometric_ == white_is_zero ? full - first[x * step_] : first[x * step_]));
    }

    std::uint32_t bits_;
    std::int64_t step_;
    std::uint32_t photometric_;
    bool is_planar_;
    std::vector<std::uint8_t> greys_;
};

std::int64_t up(std::int64_t a, std::int64_t b) {
    return (a + b - 1) / b;
}

/// For a row of a block, in one plane.
std::int64_t row_bytes(const TiffLayout& layout) {
    return up(saturating_product(layout.block_width, layout.bits, layout.planar ? 1 : layout.samples), 8);
}

/// The decoders' memory for a strip or tile, beside tables.
std::int64_t decoder_bytes(const TiffLayout& layout) {
    // Coefficients of progressive JPEG, of which libtiff refuses more; the window, of which Zstandard does.
    constexpr std::int64_t max_coefficients = 100 << 20, largest_window = std::int64_t{1} << 27;
    constexpr std::int64_t usual_window = 9
                                          << 20;  // of all levels but the last three, however little follows
    const std::int64_t unpacked = saturating_product(row_bytes(layout), layout.block_height);
    if (layout.compression == TiffCompression::jpeg)
        return std::min(saturating_product(unpacked, 2), max_coefficients);
    return layout.compression == TiffCompression::zstandard
               ? std::clamp(unpacked, usual_window, largest_window)
               : 0;
}

/// libtiff reads the directory itself; where it sees another picture, sizes of buffers would not fit.
void check_agreement(const TiffFile& file, const TiffLayout& layout) {
    const bool tiled = TIFFIsTiled(file.get()) != 0;
    const bool planar = file.field<std::uint16_t>(TIFFTAG_PLANARCONFIG) == PLANARCONFIG_SEPARATE;
    const tmsize_t row = tiled ? TIFFTileRowSize(file.get()) : TIFFScanlineSize(file.get());
    const bool same_grid = !tiled || (file.field<std::uint32_t>(TIFFTAG_TILEWIDTH) == layout.block_width &&
                                      file.field<std::uint32_t>(TIFFTAG_TILELENGTH) == layout.block_height);
    // libtiff makes many strips of one uncompressed strip.
    const bool same_strips = tiled || !is_read_by_blocks(layout) ||
                             std::min<std::int64_t>(file.field<std::uint32_t>(TIFFTAG_ROWSPERSTRIP),
                                                    layout.height) == layout.block_height;
    if (file.field<std::uint32_t>(TIFFTAG_IMAGEWIDTH) != layout.width ||
        file.field<std::uint32_t>(TIFFTAG_IMAGELENGTH) != layout.height ||
        file.field<std::uint16_t>(TIFFTAG_BITSPERSAMPLE) != layout.bits ||
        file.field<std::uint16_t>(TIFFTAG_SAMPLESPERPIXEL) != layout.samples || tiled != layout.tiled ||
        (planar && layout.samples > 1) != layout.planar || !same_grid || !same_strips ||
        row != row_bytes(layout))
        throw ImageError("corrupt TIFF: its directory contradicts itself");
}

void read_rows(const TiffFile& file, const TiffLayout& layout, const RowToGrey& to_grey, GreyImage& image) {
    std::vector<std::uint8_t> row(static_cast<std::size_t>(row_bytes(layout)));
    const std::int64_t strips = up(layout.height, layout.block_height);
    std::uint8_t* to = image.pixels.data();
    for (std::int64_t y = 0; y < layout.height; ++y, to += layout.width) {
        const int outcome = TIFFReadScanline(file.get(), row.data(), static_cast<std::uint32_t>(y));
        file.check(outcome == 1, "strip ", y / layout.block_height, strips);
        to_grey.convert({row.data()}, layout.width, to);
    }
}

void read_blocks(const TiffFile& file, const TiffLayout& layout, const RowToGrey& to_grey, GreyImage& image) {
    const int planes = layout.planar ? static_cast<int>(layout.samples) : 1;
    // Alpha needs not be unpacked.
    const int used_planes = layout.planar ? colours_of(layout) : 1;
    const std::int64_t row = row_bytes(layout);
    const std::int64_t across = up(layout.width, layout.block_width);
    const std::int64_t down = up(layout.height, layout.block_height);
    std::array<std::vector<std::uint8_t>, planes_at_most> blocks;
    for (int plane = 0; plane < used_planes; ++plane)
        blocks[static_cast<std::size_t>(plane)].resize(static_cast<std::size_t>(row * layout.block_height));
    const char* const name = layout.tiled ? "tile " : "strip ";
    for (std::int64_t at = 0; at < across * down; ++at) {
        const std::int64_t left = at % across * layout.block_width, top = at / across * layout.block_height;
        const std::int64_t rows = std::min(layout.block_height, layout.height - top);
        const std::int64_t columns = std::min(layout.block_width, layout.width - left);
        const std::int64_t wanted = row * (layout.tiled ? layout.block_height : rows);
        for (int plane = 0; plane < used_planes; ++plane) {
            const std::int64_t number = at + plane * across * down;
            std::uint8_t* const to = blocks[static_cast<std::size_t>(plane)].data();
            const auto index = static_cast<std::uint32_t>(number);
            const tmsize_t got = layout.tiled ? TIFFReadEncodedTile(file.get(), index, to, wanted)
                                              : TIFFReadEncodedStrip(file.get(), index, to, wanted);
            file.check(got == wanted, name, number, across * down * planes);
        }
        for (std::int64_t y = 0; y < rows; ++y) {
            std::array<const std::uint8_t*, planes_at_most> from{};
            for (std::size_t plane = 0; plane < static_cast<std::size_t>(used_planes); ++plane)
                from[plane] = blocks[plane].data() + y * row;
            to_grey.convert(from, columns, image.pixels.data() + (top + y) * layout.width + left);
        }
    }
}

}  // namespace

bool is_converted_by_libtiff(const TiffLayout& layout) {
    return layout.photometric == ycbcr;
}

bool is_read_in_parts(const TiffLayout& layout) {
    using enum TiffCompression;
    constexpr std::array kinds = {none, fax_rows,      fax_group3, fax_group4, lzw,
                                  jpeg, adobe_deflate, pack_bits,  deflate,    zstandard};
    const SampleKind* const kind = kind_of(layout);
    return kind != nullptr && has_bits(*kind, layout) && layout.samples >= kind->colours &&
           !is_converted_by_libtiff(layout) &&
           std::find(kinds.begin(), kinds.end(), layout.compression) != kinds.end();
}

void check_tiff_support(const TiffDirectory& directory, const TiffLayout& layout) {
    const SampleKind* const kind = kind_of(layout);
    const auto refuse = [&](const std::string& what) {
        throw ImageError((kind == nullptr ? "" : std::string(kind->name) + " ") + "TIFF with " + what +
                         " is not supported");
    };
    if (kind == nullptr) refuse("photometric interpretation " + std::to_string(layout.photometric));
    constexpr std::uint32_t signed_numbers = 2, floating_point = 3;
    const std::uint32_t format = directory.value(sample_format).value_or(1);
    if (format == floating_point) refuse(std::to_string(layout.bits) + "-bit floating point samples");
    if (format == signed_numbers) refuse("signed samples");
    const std::string bits = std::to_string(layout.bits) + " bits per sample";
    if (!has_bits(*kind, layout)) refuse(bits);
    const std::size_t stated = std::min<std::size_t>(directory.count(bits_per_sample), layout.samples);
    if (stated > 0)
        for (const std::uint32_t of_sample : directory.values(bits_per_sample, 0, stated))
            if (of_sample != layout.bits) refuse("samples of different numbers of bits");
    constexpr std::uint32_t max_others = 3;
    if (layout.samples < kind->colours || layout.samples > kind->colours + max_others)
        refuse(std::to_string(layout.samples) + " samples per pixel");
    constexpr std::uint32_t inks_of_cmyk = 1;
    if (kind->photometric == cmyk && directory.value(ink_set).value_or(inks_of_cmyk) != inks_of_cmyk)
        refuse("other inks");
    using enum TiffCompression;
    const bool is_predicted = layout.compression == lzw || layout.compression == deflate ||
                              layout.compression == adobe_deflate || layout.compression == zstandard;
    const std::uint32_t prediction = directory.value(predictor).value_or(1);
    if (is_predicted && (prediction > 2 || (prediction == 2 && layout.bits < 8)))
        refuse("predictor " + std::to_string(prediction) + " for " + bits);
    const auto number = static_cast<std::uint32_t>(layout.compression);
    if (number > 0xffff || TIFFIsCODECConfigured(static_cast<std::uint16_t>(number)) == 0)
        refuse("compression " + std::to_string(number));
}

std::int64_t tiff_part_bytes(const TiffDirectory& directory, const TiffLayout& layout,
                             const TiffBlocks& blocks) {
    constexpr std::int64_t tables = std::int64_t{1} << 20;  // of libtiff and its decoders, whatever the image
    const std::int64_t row = row_bytes(layout);
    const std::int64_t planes = layout.planar ? planes_at_most : 1;
    const std::int64_t rows = is_read_by_blocks(layout) ? layout.block_height : 1;
    std::int64_t count = blocks.count, stored = blocks.longest;
    if (layout.compression == TiffCompression::none && !is_read_by_blocks(layout) && count == 1) {
        // libtiff makes many strips, of at most 8 KiB or of a row, of one uncompressed strip.
        constexpr std::int64_t part = 8192;
        count = up(layout.height, std::max<std::int64_t>(1, part / row));
        stored = std::min(stored, std::max(part, row));
    }
    std::int64_t sum = tables;
    const auto add = [&sum](std::int64_t bytes) {
        sum = bytes > std::numeric_limits<std::int64_t>::max() - sum
                  ? std::numeric_limits<std::int64_t>::max()
                  : sum + bytes;
    };
    add(saturating_product(row, rows, planes));
    add(stored);
    add(decoder_bytes(layout));
    // Place and length as 64-bit numbers, and one of the lists as it is stored.
    add(saturating_product(count, 24));
    // libtiff reads every tag, and copies what it has read.
    add(saturating_product(directory.value_bytes_but_for(tiff_block_tags), 2));
    return sum;
}

GreyImage read_tiff_in_parts(const RandomAccess& stream, const TiffDirectory& directory,
                             const TiffLayout& layout) {
    const TiffFile file(stream, directory);
    check_agreement(file, layout);
    const RowToGrey to_grey(directory, layout);
    GreyImage image{static_cast<int>(layout.width), static_cast<int>(layout.height), {}};
    image.pixels.resize(static_cast<std::size_t>(layout.width * layout.height));
    if (is_read_by_blocks(layout))
        read_blocks(file, layout, to_grey, image);
    else
        read_rows(file, layout, to_grey, image);
    return image;
}

GreyImage read_tiff_converted(const RandomAccess& stream, const TiffDirectory& directory,
                              const TiffLayout& layout) {
    const TiffFile file(stream, directory);
    std::array<char, 1024> why{};
    TIFFRGBAImage conversion;
    if (TIFFRGBAImageBegin(&conversion, file.get(), 1, why.data()) == 0)
        throw ImageError(std::string("TIFF of this kind is not supported: ") + why.data());
    TIFFRGBAImageEnd(&conversion);
    // libtiff makes many strips of one uncompressed strip.
    const std::int64_t block_height =
        layout.tiled ? layout.block_height
                     : std::min<std::int64_t>(file.field<std::uint32_t>(TIFFTAG_ROWSPERSTRIP), layout.height);
    if (block_height <= 0 || block_height > layout.block_height)
        throw ImageError("corrupt TIFF: its directory contradicts itself");
    GreyImage image{static_cast<int>(layout.width), static_cast<int>(layout.height), {}};
    image.pixels.resize(static_cast<std::size_t>(layout.width * layout.height));
    const std::int64_t across = up(layout.width, layout.block_width);
    const std::int64_t down = up(layout.height, block_height);
    std::vector<std::uint32_t> block(static_cast<std::size_t>(layout.block_width * block_height));
    for (std::int64_t at = 0; at < across * down; ++at) {
        const std::int64_t left = at % across * layout.block_width, top = at / across * block_height;
        const std::int64_t rows = std::min(block_height, layout.height - top);
        const std::int64_t columns = std::min(layout.block_width, layout.width - left);
        const auto x = static_cast<std::uint32_t>(left), y = static_cast<std::uint32_t>(top);
        const int outcome = layout.tiled ? TIFFReadRGBATileExt(file.get(), x, y, block.data(), 1)
                                         : TIFFReadRGBAStripExt(file.get(), y, block.data(), 1);
        file.check(outcome == 1, layout.tiled ? "tile " : "strip ", at, across * down);
        // The last row comes first: of a tile, of a strip as far as it goes.
        const std::int64_t last = (layout.tiled ? block_height : rows) - 1;
        for (std::int64_t row = 0; row < rows; ++row) {
            const std::uint32_t* const from = block.data() + (last - row) * layout.block_width;
            std::uint8_t* const to = image.pixels.data() + (top + row) * layout.width + left;
            for (std::int64_t column = 0; column < columns; ++column)
                to[column] =
                    grey_of_rgb(TIFFGetR(from[column]), TIFFGetG(from[column]), TIFFGetB(from[column]));
        }
    }
    return image;
}

}  // namespace fovea::codec
