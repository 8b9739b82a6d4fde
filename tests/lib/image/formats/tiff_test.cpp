#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>

#include <catch2/catch.hpp>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <tiffio.h>

#include "lib/image/formats/codec.hpp"
#include "lib/image/load.hpp"
#include "lib/image/read_grey.hpp"
#include "tests/support/encoders.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

struct Kind {
    std::uint16_t compression = COMPRESSION_NONE;
    std::uint16_t photometric = PHOTOMETRIC_MINISBLACK;
    bool predictor = false;
    bool tiled = false;
    bool planar = false;
    bool big_endian = false;
    int bits = 0;  ///< 0: those of the picture
    int rows_per_strip = 7;
    bool reversed_bits = false;               ///< the lowest bit of a byte comes first
    std::vector<std::uint16_t> palette = {};  ///< all reds, all greens, all blues
};

constexpr int tile_side = 16;

/// The samples of a part of `picture`, filled up with zeros where it reaches beyond.
ByteVector block_of(const cv::Mat& picture, const cv::Rect& part, int bits) {
    const cv::Rect inside = part & cv::Rect({0, 0}, picture.size());
    cv::Mat block(part.size(), picture.type(), cv::Scalar::all(0));
    picture(inside).copyTo(block(cv::Rect({0, 0}, inside.size())));
    if (bits >= 8) return {block.datastart, block.dataend};
    const int in_byte = 8 / bits;
    ByteVector packed;
    for (int y = 0; y < block.rows; ++y)
        for (int x = 0; x < block.cols; ++x) {
            if (x % in_byte == 0) packed.push_back(0);
            packed.back() |=
                static_cast<std::uint8_t>(block.at<uchar>(y, x) << (8 - bits - x % in_byte * bits));
        }
    return packed;
}

/// libtiff writes it, from samples in the order of the file.
ByteVector write_tiff(const cv::Mat& picture, const Kind& kind) {
    const TempDir folder;
    const std::string path = (folder.path() / "x.tiff").string();
    TIFF* const tiff = TIFFOpen(path.c_str(), kind.big_endian ? "wb" : "wl");
    REQUIRE(tiff != nullptr);
    const int bits = kind.bits > 0 ? kind.bits : picture.depth() == CV_16U ? 16 : 8;
    const bool has_three = kind.photometric == PHOTOMETRIC_RGB || kind.photometric == PHOTOMETRIC_YCBCR;
    const int colours = kind.photometric == PHOTOMETRIC_SEPARATED ? 4 : has_three ? 3 : 1;
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, picture.cols);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, picture.rows);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, bits);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, picture.channels());
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, kind.photometric);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, kind.planar ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, kind.compression);
    if (kind.compression == COMPRESSION_JPEG) TIFFSetField(tiff, TIFFTAG_JPEGTABLESMODE, 0);
    if (kind.reversed_bits) TIFFSetField(tiff, TIFFTAG_FILLORDER, FILLORDER_LSB2MSB);
    if (kind.photometric == PHOTOMETRIC_YCBCR) TIFFSetField(tiff, TIFFTAG_YCBCRSUBSAMPLING, 1, 1);
    if (!kind.palette.empty()) {
        std::vector<std::uint16_t> map = kind.palette;
        const std::size_t count = map.size() / 3;
        TIFFSetField(tiff, TIFFTAG_COLORMAP, map.data(), map.data() + count, map.data() + 2 * count);
    }
    if (kind.predictor) TIFFSetField(tiff, TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL);
    if (picture.channels() > colours) {
        const std::vector<std::uint16_t> extra(static_cast<std::size_t>(picture.channels() - colours),
                                               EXTRASAMPLE_UNSPECIFIED);
        TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, static_cast<int>(extra.size()), extra.data());
    }
    std::vector<cv::Mat> planes = {picture};
    if (kind.planar) cv::split(picture, planes);
    cv::Size block(picture.cols, kind.rows_per_strip);
    if (kind.tiled) {
        block = {tile_side, tile_side};
        TIFFSetField(tiff, TIFFTAG_TILEWIDTH, tile_side);
        TIFFSetField(tiff, TIFFTAG_TILELENGTH, tile_side);
    } else {
        TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, kind.rows_per_strip);
    }
    std::uint32_t number = 0;
    for (const cv::Mat& plane : planes)
        for (int y = 0; y < plane.rows; y += block.height)
            for (int x = 0; x < plane.cols; x += block.width, ++number) {
                const int height = kind.tiled ? block.height : std::min(block.height, plane.rows - y);
                ByteVector bytes = block_of(plane, {x, y, block.width, height}, bits);
                const auto size = static_cast<tmsize_t>(bytes.size());
                REQUIRE((kind.tiled ? TIFFWriteEncodedTile(tiff, number, bytes.data(), size)
                                    : TIFFWriteEncodedStrip(tiff, number, bytes.data(), size)) == size);
            }
    TIFFClose(tiff);
    std::ifstream in(path, std::ios::binary);
    return bytes_of(std::string(std::istreambuf_iterator<char>(in), {}));
}

/// The first strip as it is stored.
ByteVector stored_strip(const ByteVector& bytes) {
    const TempDir folder;
    TIFF* const tiff = TIFFOpen(folder.write("x.tiff", {bytes.begin(), bytes.end()}).c_str(), "r");
    REQUIRE(tiff != nullptr);
    ByteVector strip(TIFFRawStripSize64(tiff, 0));
    REQUIRE(TIFFReadRawStrip(tiff, 0, strip.data(), static_cast<tmsize_t>(strip.size())) ==
            static_cast<tmsize_t>(strip.size()));
    TIFFClose(tiff);
    return strip;
}

bool is_read_in_parts(const ByteVector& bytes) {
    return codec::read_tiff_header(codec::MemoryAccess(bytes)).read_in_parts;
}

ByteVector by_opencv(const ByteVector& bytes) {
    const cv::Mat picture = cv::imdecode(bytes, cv::IMREAD_UNCHANGED | cv::IMREAD_IGNORE_ORIENTATION);
    return picture.empty() ? ByteVector{} : expected_grey(picture).pixels;
}

std::string name_of(const Kind& kind, const cv::Mat& picture) {
    return cv::typeToString(picture.type()) + " photometric " + std::to_string(kind.photometric) + ", " +
           std::to_string(kind.bits) + " bits, compression " + std::to_string(kind.compression) +
           (kind.predictor ? " predicted" : "") + (kind.tiled ? " tiles" : " strips") +
           (kind.planar ? " planes" : "") + (kind.big_endian ? " big endian" : "") +
           (kind.reversed_bits ? " reversed bits" : "") + " of " + std::to_string(kind.rows_per_strip);
}

cv::Mat as_rgb(cv::Mat bgr, bool alpha) {
    cv::Mat samples;
    cv::cvtColor(bgr, samples, alpha ? cv::COLOR_BGR2RGBA : cv::COLOR_BGR2RGB);
    if (alpha) cv::insertChannel(grey_picture(bgr.cols, bgr.rows, bgr.depth()), samples, 3);
    return samples;
}

/// Grey, grey with alpha, RGB, RGBA, of 8 and 16 bits, as they are stored, and their grey.
struct Picture {
    cv::Mat samples;
    GreyImage grey;
};

std::vector<Picture> pictures(int width, int height) {
    std::vector<Picture> all;
    for (const int depth : {CV_8U, CV_16U}) {
        const cv::Mat grey = grey_picture(width, height, depth),
                      colour = colour_picture(width, height, depth);
        all.push_back({grey, expected_grey(grey)});
        for (const bool alpha : {false, true}) all.push_back({as_rgb(colour, alpha), expected_grey(colour)});
    }
    cv::Mat with_alpha;
    cv::merge(std::vector<cv::Mat>{grey_picture(width, height), cv::Mat(height, width, CV_8U, cv::Scalar(9))},
              with_alpha);
    all.push_back({with_alpha, expected_grey(grey_picture(width, height))});
    return all;
}

}  // namespace

TEST_CASE("TIFF read in parts: every kind is what was written, and what OpenCV reads", "[image][tiff]") {
    int compared = 0;
    for (const Picture& picture : pictures(45, 31))
        for (const int compression : {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE,
                                      COMPRESSION_PACKBITS, COMPRESSION_ZSTD})
            for (int variant = 0; variant < 16; ++variant) {
                Kind kind;
                kind.compression = static_cast<std::uint16_t>(compression);
                if (picture.samples.channels() >= 3) kind.photometric = PHOTOMETRIC_RGB;
                kind.tiled = (variant & 1) != 0;
                kind.planar = (variant & 2) != 0 && picture.samples.channels() > 1;
                kind.big_endian = (variant & 4) != 0;
                kind.predictor = (variant & 8) != 0 && compression != COMPRESSION_NONE &&
                                 compression != COMPRESSION_PACKBITS;
                INFO(name_of(kind, picture.samples));
                const ByteVector bytes = write_tiff(picture.samples, kind);
                REQUIRE(is_read_in_parts(bytes));
                REQUIRE(decode_grey_image(bytes).pixels == picture.grey.pixels);
                // OpenCV does not read 16-bit planes, nor grey with alpha as grey, and fails on some
                // uncompressed tiles.
                if (picture.samples.channels() == 2 || (kind.planar && picture.samples.depth() == CV_16U) ||
                    (kind.tiled && compression == COMPRESSION_NONE))
                    continue;
                const bool is_same = by_opencv(bytes) == picture.grey.pixels;
                REQUIRE(is_same);
                ++compared;
            }
    // Six pictures, sixteen variants of five compressions; less 16-bit planes, less uncompressed tiles.
    CHECK(compared == 6 * 16 * 5 - 2 * 8 * 5 - (6 * 8 - 2 * 4));
}

TEST_CASE("TIFF of JPEG strips and tiles is what OpenCV reads", "[image][tiff]") {
    for (const bool colour : {false, true})
        for (const bool tiled : {false, true}) {
            Kind kind;
            kind.compression = COMPRESSION_JPEG;
            kind.photometric = colour ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
            kind.tiled = tiled;
            kind.rows_per_strip = 8;
            const cv::Mat picture = colour ? as_rgb(colour_picture(45, 31), false) : grey_picture(45, 31);
            INFO(name_of(kind, picture));
            const ByteVector bytes = write_tiff(picture, kind);
            REQUIRE(is_read_in_parts(bytes));
            const GreyImage image = decode_grey_image(bytes);
            CHECK(image.width == 45);
            CHECK(image.pixels == by_opencv(bytes));
        }
}

TEST_CASE("TIFF of one bit and with white as zero", "[image][tiff]") {
    cv::Mat bits = grey_picture(45, 31) & 1, grey16 = grey_picture(45, 31, CV_16U);
    for (const std::uint16_t photometric : {PHOTOMETRIC_MINISWHITE, PHOTOMETRIC_MINISBLACK})
        for (const bool tiled : {false, true}) {
            const bool white_is_zero = photometric == PHOTOMETRIC_MINISWHITE;
            Kind kind;
            kind.photometric = photometric;
            kind.tiled = tiled;
            kind.bits = 1;
            for (const int compression : {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_PACKBITS,
                                          COMPRESSION_CCITTFAX3, COMPRESSION_CCITTFAX4}) {
                kind.compression = static_cast<std::uint16_t>(compression);
                INFO(name_of(kind, bits) << " white is zero " << white_is_zero);
                const ByteVector bytes = write_tiff(bits, kind);
                REQUIRE(is_read_in_parts(bytes));
                const cv::Mat expected = white_is_zero ? cv::Mat((1 - bits) * 255) : cv::Mat(bits * 255);
                CHECK(decode_grey_image(bytes).pixels == ByteVector(expected.datastart, expected.dataend));
                if (!(tiled && compression == COMPRESSION_NONE))
                    CHECK(by_opencv(bytes) == ByteVector(expected.datastart, expected.dataend));
            }
            kind.bits = 0;
            kind.compression = COMPRESSION_LZW;
            const cv::Mat grey = grey_picture(45, 31);
            const ByteVector bytes = write_tiff(grey, kind);
            CHECK(decode_grey_image(bytes).pixels ==
                  expected_grey(white_is_zero ? cv::Mat(255 - grey) : grey).pixels);
            CHECK(decode_grey_image(bytes).pixels == by_opencv(bytes));
            // OpenCV does not invert these.
            CHECK(decode_grey_image(write_tiff(grey16, kind)).pixels ==
                  expected_grey(white_is_zero ? cv::Mat(65535 - grey16) : grey16).pixels);
        }
}

namespace {

/// The meaning of samples, and how many bits they may have.
struct Photometry {
    std::uint16_t photometric;
    int samples;
    std::vector<int> bits;
};
const Photometry photometries[] = {
    {PHOTOMETRIC_MINISWHITE, 1, {1, 2, 4, 8, 16}},
    {PHOTOMETRIC_MINISBLACK, 1, {1, 2, 4, 8, 16}},
    {PHOTOMETRIC_MINISBLACK, 2, {8, 16}},
    {PHOTOMETRIC_RGB, 3, {8, 16}},
    {PHOTOMETRIC_RGB, 4, {8, 16}},
    {PHOTOMETRIC_RGB, 5, {8}},
    {PHOTOMETRIC_PALETTE, 1, {1, 2, 4, 8}},
    {PHOTOMETRIC_SEPARATED, 4, {8, 16}},
    {PHOTOMETRIC_SEPARATED, 5, {8}},
    {PHOTOMETRIC_YCBCR, 3, {8}},
};

cv::Mat samples_of(const Photometry& photometry, int bits, cv::Size size) {
    cv::Mat samples(size, CV_MAKETYPE(bits == 16 ? CV_16U : CV_8U, photometry.samples));
    cv::RNG(7).fill(samples, cv::RNG::UNIFORM, 0, 1 << bits);
    return samples;
}

double nearest(double value) {
    return std::floor(value + 0.5);
}

/// The grey of a pixel, from its samples, by the formulas of the formats in floating point.
double grey_of_samples(const Kind& kind, const std::array<double, 5>& samples) {
    const double maximum = std::pow(2, kind.bits) - 1;
    std::array<double, 4> v{};
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = nearest(samples[i] * 255 / maximum);
    const auto luma = [](double r, double g, double b) {
        return std::floor((9798 * r + 19235 * g + 3735 * b + 16384) / 32768);
    };
    switch (kind.photometric) {
        case PHOTOMETRIC_MINISWHITE:
            return nearest((maximum - samples[0]) * 255 / maximum);
        case PHOTOMETRIC_MINISBLACK:
            return v[0];
        case PHOTOMETRIC_RGB:
            return luma(v[0], v[1], v[2]);
        case PHOTOMETRIC_PALETTE: {
            const auto index = static_cast<std::size_t>(samples[0]), count = kind.palette.size() / 3;
            const auto colour = [&](std::size_t i) {
                return std::floor(kind.palette[i * count + index] / 256.0);
            };
            return luma(colour(0), colour(1), colour(2));
        }
        case PHOTOMETRIC_SEPARATED: {
            const auto light = [&](double ink) { return nearest((255 - ink) * (255 - v[3]) / 255); };
            return luma(light(v[0]), light(v[1]), light(v[2]));
        }
        default: {
            const auto colour = [](double value) { return std::clamp(nearest(value), 0.0, 255.0); };
            return luma(colour(v[0] + 1.402 * (v[2] - 128)),
                        colour(v[0] - 0.344136 * (v[1] - 128) - 0.714136 * (v[2] - 128)),
                        colour(v[0] + 1.772 * (v[1] - 128)));
        }
    }
}

ByteVector greys_of_samples(const Kind& kind, const cv::Mat& samples) {
    const cv::Mat flat = samples.reshape(1, static_cast<int>(samples.total()));
    ByteVector greys;
    for (int i = 0; i < flat.rows; ++i) {
        std::array<double, 5> pixel{};
        for (int k = 0; k < flat.cols; ++k)
            pixel[static_cast<std::size_t>(k)] =
                flat.depth() == CV_16U ? flat.at<std::uint16_t>(i, k) : flat.at<std::uint8_t>(i, k);
        greys.push_back(static_cast<std::uint8_t>(grey_of_samples(kind, pixel)));
    }
    return greys;
}

int largest_difference(const ByteVector& a, const ByteVector& b) {
    if (a.size() != b.size()) return 256;
    int largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
    return largest;
}

}  // namespace

TEST_CASE("every form of TIFF has the pixels that were written", "[image][tiff]") {
    int forms = 0;
    for (const Photometry& photometry : photometries)
        for (const int bits : photometry.bits) {
            // One strip has more than 8 KiB, from which on libtiff divides it.
            const cv::Size size(301, bits < 8 ? 223 / bits : 31);
            const cv::Mat samples = samples_of(photometry, bits, size);
            Kind kind;
            kind.photometric = photometry.photometric;
            kind.bits = bits;
            if (kind.photometric == PHOTOMETRIC_PALETTE) {
                kind.palette.resize(std::size_t{3} << bits);
                cv::RNG random(3);
                for (std::uint16_t& value : kind.palette)
                    value = static_cast<std::uint16_t>(random.uniform(0, 256) * 257);
            }
            const ByteVector expected = greys_of_samples(kind, samples);
            // libtiff's own arithmetic of YCbCr truncates.
            const int tolerance = kind.photometric == PHOTOMETRIC_YCBCR ? 2 : 0;
            for (const bool planar : {false, true})
                for (const int compression : {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE,
                                              COMPRESSION_PACKBITS, COMPRESSION_ZSTD, COMPRESSION_LZMA})
                    for (int variant = 0; variant < 5; ++variant) {
                        if (planar && photometry.samples == 1) continue;
                        // One form of the slowest will do.
                        if (compression == COMPRESSION_LZMA && variant != 0) continue;
                        // libtiff writes longer tiles than it reads.
                        if (variant == 2 && compression == COMPRESSION_NONE &&
                            kind.photometric == PHOTOMETRIC_YCBCR)
                            continue;
                        kind.planar = planar;
                        kind.compression = static_cast<std::uint16_t>(compression);
                        kind.tiled = variant == 2;
                        kind.rows_per_strip = variant == 1 ? 16 : size.height;
                        kind.big_endian = variant == 3;
                        kind.reversed_bits = variant == 4;
                        INFO(name_of(kind, samples));
                        const GreyImage image = decode_grey_image(write_tiff(samples, kind));
                        REQUIRE(image.width == size.width);
                        REQUIRE(largest_difference(image.pixels, expected) <= tolerance);
                        ++forms;
                    }
        }
    // 14 of one sample; 11 of several, in pixels and in planes.
    CHECK(forms == (14 + 2 * 11) * (5 * 5 + 1) - 2);
}

TEST_CASE("forms of TIFF that are not read are named", "[image][tiff]") {
    const auto refused = [](const std::vector<TiffTag>& tags) {
        return reason_of(make_tiff(1, 1, ByteVector(16), tags));
    };
    CHECK(refused({{258, 0}, {262, 1}}) == "grey TIFF with 0 bits per sample is not supported");
    CHECK(refused({{258, 8}, {262, 1}, {277, 0}}) == "grey TIFF with 0 samples per pixel is not supported");
    CHECK(refused({{258, 12}, {262, 1}}) == "grey TIFF with 12 bits per sample is not supported");
    CHECK(refused({{258, 32}, {262, 2}, {277, 3}}) == "RGB TIFF with 32 bits per sample is not supported");
    CHECK(refused({{258, 16}, {262, 3}, {320, 0}}) ==
          "palette TIFF with 16 bits per sample is not supported");
    CHECK(refused({{258, 8}, {262, 2}}) == "RGB TIFF with 1 samples per pixel is not supported");
    CHECK(refused({{258, 8}, {262, 5}, {277, 3}}) == "CMYK TIFF with 3 samples per pixel is not supported");
    CHECK(refused({{258, 8}, {262, 5}, {277, 4}, {332, 2}}) == "CMYK TIFF with other inks is not supported");
    CHECK(refused({{258, 8}, {262, 8}, {277, 3}}) ==
          "TIFF with photometric interpretation 8 is not supported");
    CHECK(refused({{258, 8}, {259, 34892}, {262, 1}}) == "grey TIFF with compression 34892 is not supported");
    CHECK(refused({{258, 4}, {259, 5}, {262, 1}, {317, 2}}) ==
          "grey TIFF with predictor 2 for 4 bits per sample is not supported");
    CHECK(refused({{258, 8}, {262, 3}}).find("palette") != std::string::npos);
}

TEST_CASE("a large TIFF is read from its file, whatever its strips", "[image][tiff]") {
    const TempDir folder;
    // Noise is not made shorter by compression.
    cv::Mat colour(300, 400, CV_8UC3);
    cv::RNG(5).fill(colour, cv::RNG::UNIFORM, 0, 256);
    const GreyImage expected = expected_grey(colour);
    for (const int compression : {COMPRESSION_NONE, COMPRESSION_LZW})
        // One row, some, all in one strip; two of different lengths.
        for (const int rows : {1, 16, 300, 200}) {
            Kind kind;
            kind.photometric = PHOTOMETRIC_RGB;
            kind.compression = static_cast<std::uint16_t>(compression);
            kind.rows_per_strip = rows;
            INFO(name_of(kind, colour) << " of " << rows << " rows");
            const ByteVector bytes = write_tiff(as_rgb(colour, false), kind);
            REQUIRE(bytes.size() > codec::prefix_bytes);
            int requests = 0;
            const GreyImage image = codec::load_image(folder.write("x", {bytes.begin(), bytes.end()}), {},
                                                      [&](std::size_t size, bool last) {
                                                          ++requests;
                                                          CHECK(last);
                                                          CHECK(size < 120'000 + bytes.size() + (2 << 20));
                                                      });
            CHECK(requests == 1);
            CHECK(image.pixels == expected.pixels);
        }
}

TEST_CASE("runs of PackBits may cross rows", "[image][tiff]") {
    // Six times 7, then 1 2 3 as they are: rows of three.
    CHECK(
        decode_grey_image(make_tiff(3, 3, {251, 7, 2, 1, 2, 3}, {{258, 8}, {259, 32773}, {262, 1}})).pixels ==
        ByteVector{7, 7, 7, 7, 7, 7, 1, 2, 3});
}

TEST_CASE("a TIFF strip that is cut gives no image", "[image][tiff]") {
    const cv::Mat picture = as_rgb(colour_picture(45, 31), false);
    for (const int compression : {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE,
                                  COMPRESSION_PACKBITS, COMPRESSION_ZSTD, COMPRESSION_JPEG}) {
        INFO("compression " << compression);
        Kind kind;
        kind.photometric = PHOTOMETRIC_RGB;
        kind.compression = static_cast<std::uint16_t>(compression);
        kind.rows_per_strip = 31;
        const ByteVector whole = write_tiff(picture, kind), strip = stored_strip(whole);
        const auto with = [&](const ByteVector& stored) {
            return make_tiff(45, 31, stored,
                             {{258, 8}, {259, static_cast<std::uint32_t>(compression)}, {262, 2}, {277, 3}});
        };
        REQUIRE(decode_grey_image(with(strip)).pixels == decode_grey_image(whole).pixels);
        for (const std::size_t length :
             {std::size_t{1}, strip.size() / 2, strip.size() * 3 / 4, strip.size() - 12}) {
            INFO(length << " of " << strip.size() << " bytes");
            ByteVector cut = strip;
            cut.resize(length);
            const std::string reason = reason_of(with(cut));
            INFO(reason);
            CHECK((reason.find("truncated TIFF: strip 1 of 1") == 0 ||
                   reason.find("corrupt TIFF: strip 1 of 1") == 0));
        }
    }
}

namespace {

/// Another number of values, which lie at `at`, for a tag of a little-endian TIFF.
void set_values(ByteVector& tiff, std::uint32_t tag, std::uint32_t count, std::uint32_t at) {
    const auto little = [](std::uint32_t value, int size) {
        ByteVector bytes;
        for (int i = 0; i < size; ++i) bytes.push_back(static_cast<std::uint8_t>(value >> 8 * i));
        return bytes;
    };
    const ByteVector key = concatenate({little(tag, 2), little(4, 2), little(1, 4)});
    const auto entry = std::search(tiff.begin() + 8, tiff.end(), key.begin(), key.end());
    REQUIRE(entry != tiff.end());
    const ByteVector values = concatenate({little(count, 4), little(at, 4)});
    std::copy(values.begin(), values.end(), entry + 4);
}

struct Outcome {
    std::string reason;
    std::size_t asked_for = 0;
};

/// For a file that is filled up with zeros (in no blocks of the disk) to `size` bytes.
Outcome load_sparse(const ByteVector& bytes, std::uintmax_t size) {
    const TempDir folder;
    const auto path = folder.write("x", {bytes.begin(), bytes.end()});
    std::filesystem::resize_file(path, size);
    Outcome outcome;
    outcome.reason = reason_of([&] {
        codec::load_image(path, {}, [&](std::size_t needed, bool) {
            outcome.asked_for = needed;
            throw ImageError("asked for memory");
        });
    });
    return outcome;
}

}  // namespace

TEST_CASE("hostile TIFF headers are refused before anything large is held", "[image][tiff]") {
    constexpr std::uint32_t many = 600'000'000;
    constexpr std::uintmax_t large = std::uintmax_t{3} << 30;
    const std::vector<TiffTag> grey = {{258, 8}, {262, 1}};
    // Lists of strips as long as the file.
    ByteVector rows = make_tiff(1, 1 << 25, {1}, {{258, 8}, {262, 1}});
    set_values(rows, 278, 1, 1);
    set_values(rows, 273, many, 16);
    set_values(rows, 279, many, 16);
    CHECK(load_sparse(rows, large).reason == "TIFF with 33554432 strips or tiles is not supported");
    // The same for an image of few strips: the others are not looked at.
    ByteVector few = make_tiff(4, 4, ByteVector(16), grey);
    set_values(few, 273, many, 1'000'000);
    set_values(few, 279, many, 1'000'000);
    const Outcome asked = load_sparse(few, large);
    CHECK(asked.reason == "asked for memory");
    CHECK(asked.asked_for < std::size_t{2} << 20);
    // They end behind the file.
    CHECK(load_sparse(few, 2'000'000).reason ==
          "truncated TIFF: the values of tag 279 lie outside of the file");
    // A tag of no concern that libtiff would read.
    ByteVector tag = make_tiff(4, 4, ByteVector(16), {{258, 8}, {262, 1}, {40000, 1, 4}});
    set_values(tag, 40000, many, 1'000'000);
    CHECK(load_sparse(tag, large).asked_for > std::size_t{2} * 4 * many);
    // One strip of nearly 4 GiB that is compressed has to be held.
    ByteVector strip = make_tiff(4, 4, ByteVector(16), {{258, 8}, {259, 5}, {262, 1}});
    set_values(strip, 279, 1, 3'000'000'000);
    CHECK(load_sparse(strip, std::uintmax_t{4} << 30).asked_for > std::size_t{3'000'000'000});
    // Sizes whose product has no place in 64 bits.
    for (const std::uint32_t compression : {1u, 32773u})
        CHECK(reason_of(make_tiff(-1, -1, {1, 2}, {{258, 16}, {259, compression}, {262, 2}, {277, 3}}))
                  .find("too large: 4294967295 x 4294967295") == 0);
    CHECK(reason_of(make_tiff(-1, -1, {1, 2}, {{258, 16}, {262, 2}, {277, 3}, {284, 2}})) ==
          "truncated TIFF: the pixels need 3 strips or tiles, it has 1");
}
