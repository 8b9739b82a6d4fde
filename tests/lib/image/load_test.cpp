#include "lib/image/load.hpp"

#include <stdexcept>
#include <utility>

#include <catch2/catch.hpp>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <turbojpeg.h>

#include "lib/image/formats/codec.hpp"
#include "lib/image/image_size.hpp"
#include "lib/image/read_grey.hpp"
#include "tests/support/encoders.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

using Requests = std::vector<std::pair<std::size_t, bool>>;

/// The memory that an image asks for while it is loaded.
Requests requests_of(const ByteVector& bytes, GreyImage* image = nullptr, const DecodeOptions& options = {}) {
    const TempDir folder;
    Requests requests;
    const GreyImage loaded =
        codec::load_image(folder.write("image", {bytes.begin(), bytes.end()}), options,
                          [&](std::size_t size, bool last) { requests.emplace_back(size, last); });
    if (image != nullptr) *image = loaded;
    return requests;
}

std::int64_t buffer_bytes(const ByteVector& bytes) {
    return codec::read_header(codec::sniff(bytes), bytes).buffer_bytes;
}

}  // namespace

TEST_CASE("memory is asked for once where the beginning of the file tells all", "[image]") {
    const ByteVector pgm = encode(".pgm", grey_picture(700, 500));  // 15 + 350,000 bytes
    // The file, the grey image, and one more for turning.
    CHECK(requests_of(pgm) == Requests{{3 * 350'000 + 15, true}});
    // Nothing behind the pixels is read.
    CHECK(requests_of(concatenate({pgm, ByteVector(500'000)})) == Requests{{3 * 350'000 + 15, true}});
    // Packed, it is never held as a whole.
    GreyImage image;
    for (const ByteVector& packed : {gzip(pgm), bzip2(pgm), gzip(concatenate({pgm, ByteVector(500'000)}))}) {
        CHECK(requests_of(packed, &image) == Requests{{3 * 350'000 + 15, true}});
        CHECK(image.pixels == expected_grey(grey_picture(700, 500)).pixels);
    }
    const ByteVector bmp = encode(".bmp", colour_picture(400, 300));
    CHECK(requests_of(bmp) == Requests{{400 * 300 * 5 + bmp.size(), true}});
}

TEST_CASE("memory is asked for once where a file's header can be read from its place", "[image]") {
    // YCbCr is not read in parts.
    const ByteVector tiff = make_tiff(700, 500, ByteVector(3 * 350'000, 9), {{258, 8}, {262, 6}, {277, 3}});
    GreyImage image;
    const Requests requests = requests_of(tiff, &image);
    CHECK(image.pixels.size() == 350'000);
    REQUIRE(requests.size() == 1);
    CHECK(requests[0].second);
    // Twice the file, four channels, the grey image.
    CHECK(requests[0].first >= 2 * tiff.size() + 350'000 * 5);
}

TEST_CASE("memory is asked for step by step where the header comes late", "[image]") {
    GreyImage image;
    const cv::Mat picture = colour_picture(700, 500);
    // Packed text: the unpacked bytes, in doubling steps; the old and the new buffer.
    const ByteVector text = encode(".ppm", picture, {cv::IMWRITE_PXM_BINARY, 0});
    REQUIRE(text.size() > (std::size_t{2} << 20));
    const Requests requests = requests_of(gzip(text), &image);
    CHECK(image.pixels == expected_grey(picture).pixels);
    constexpr std::size_t prefix = codec::prefix_bytes;
    REQUIRE(requests.size() >= 5);
    CHECK(requests[0] == std::pair{3 * prefix, false});
    CHECK(requests[1] == std::pair{6 * prefix, false});
    CHECK(requests[2] == std::pair{12 * prefix, false});
    CHECK(requests.back() == std::pair{text.size() + 2 * 350'000, true});
}

TEST_CASE("a JPEG may hold more metadata than the beginning that is looked at first", "[image]") {
    const ByteVector plain = encode_jpeg(colour_picture(90, 70), TJSAMP_420);
    const GreyImage expected = decode_grey_image(plain);
    const TempDir folder;
    // 5 segments reach beyond 256 KiB; 260 beyond 16 MiB.
    for (const int segments : {3, 4, 5, 40, 260}) {
        CAPTURE(segments);
        const ByteVector jpeg = with_metadata(with_exif(plain, make_exif(6, true)), segments);
        const auto file = folder.write("a.jpg", {jpeg.begin(), jpeg.end()});
        const GreyImage image = read_grey_image(file);
        CHECK(image.width == 70);  // turned
        CHECK(image.height == 90);
        CHECK(read_image_size(file) == ImageSize{70, 90});
        DecodeOptions stored;
        stored.apply_exif_orientation = false;
        CHECK(read_grey_image(file, stored).pixels == expected.pixels);
        CHECK(read_image_size(file, stored) == ImageSize{90, 70});
    }
    for (const ByteVector& packed : {gzip(with_metadata(plain, 5)), bzip2(with_metadata(plain, 40))}) {
        const auto file = folder.write("a.jpg.gz", {packed.begin(), packed.end()});
        CHECK(read_grey_image(file).pixels == expected.pixels);
        CHECK(read_image_size(file) == ImageSize{90, 70});
    }
}

TEST_CASE("an image that gets no memory is not read", "[image]") {
    const TempDir folder;
    // Complete in its header only: reading on would be an error of its own.
    const auto path = folder.write("image", "P5 700 500 255\n" + std::string(300'000, 'x'));
    CHECK_THROWS_AS(codec::load_image(path, {}, [](std::size_t, bool) { throw std::out_of_range("no"); }),
                    std::out_of_range);
    DecodeOptions small;
    small.max_pixels = 1000;
    CHECK(reason_of([&] {
              codec::load_image(path, small, [](std::size_t, bool) { throw std::out_of_range("no"); });
          }) == "too large: 700 x 500 pixels, the limit is 1000 in all");
}

TEST_CASE("damage at the end of a packed image is found", "[image]") {
    // Behind all pixels, in what is unpacked but not kept.
    const ByteVector pgm = concatenate({encode(".pgm", grey_picture(700, 500)), ByteVector(300'000)});
    for (ByteVector packed : {gzip(pgm), bzip2(pgm)}) {
        CHECK(reason_of(packed) == "");
        ByteVector cut = packed;
        cut.resize(cut.size() - 3);
        CHECK(reason_of(cut).find("truncated") == 0);
        packed[packed.size() - 6] ^= 0x10;
        CHECK(reason_of(packed).find("corrupt") == 0);
    }
}

TEST_CASE("decoders' own buffers are counted", "[image]") {
    const cv::Mat grey = grey_picture(45, 31), colour = colour_picture(45, 31);
    // 6 x 4 blocks of 64 coefficients, two bytes each.
    constexpr std::int64_t plane = 6 * 4 * 64 * 2;
    const ByteVector baseline = encode_jpeg(grey, TJSAMP_GRAY);
    CHECK(buffer_bytes(baseline) == 0);
    CHECK(buffer_bytes(with_three_scans(baseline)) == 3 * plane);
    CHECK(buffer_bytes(encode_jpeg(grey, TJSAMP_GRAY, TJFLAG_PROGRESSIVE)) == plane);
    CHECK(buffer_bytes(encode_jpeg(colour, TJSAMP_444)) == 0);
    CHECK(buffer_bytes(encode_jpeg(colour, TJSAMP_444, TJFLAG_PROGRESSIVE)) == 3 * plane);
    // 3 x 2 units of 2 x 2 blocks of luma and one of each chroma.
    CHECK(buffer_bytes(encode_jpeg(colour, TJSAMP_420, TJFLAG_PROGRESSIVE)) == 3 * 2 * 6 * 64 * 2);

    // TIFF in parts: a row, a strip as stored, 24 bytes for each strip, and twice what the tags hold but for
    // the strips'.
    constexpr std::int64_t tables = 1 << 20;
    CHECK(buffer_bytes(make_tiff(20, 10, ByteVector(200), {{258, 8}, {262, 1}})) ==
          tables + 20 + 200 + 24 + 2 * 16);
    CHECK(buffer_bytes(make_tiff(20, 10, ByteVector(1200), {{258, 16}, {262, 2}, {277, 3}})) ==
          tables + 120 + 1200 + 24 + 2 * 18);
    // libtiff divides it: 819 rows are 8190 bytes, so that there are two.
    CHECK(buffer_bytes(make_tiff(10, 1000, ByteVector(10'000), {{258, 8}, {262, 1}})) ==
          tables + 10 + 8192 + 2 * 24 + 2 * 16);
    CHECK(buffer_bytes(make_tiff(10, 1000, ByteVector(9000), {{258, 8}, {259, 5}, {262, 1}})) ==
          tables + 10 + 9000 + 24 + 2 * 18);
    // PackBits: the whole strip. Tiles: a whole tile.
    CHECK(buffer_bytes(make_tiff(20, 10, ByteVector(9), {{258, 8}, {259, 32773}, {262, 1}})) ==
          tables + 200 + 9 + 24 + 2 * 18);
    CHECK(buffer_bytes(make_tiff(20, 10, ByteVector(1), {{258, 8}, {262, 1}, {322, 512}, {323, 256}})) ==
          tables + 512 * 256 + 1 + 24 + 2 * 16);
    // The decoders' own: coefficients, the window.
    CHECK(buffer_bytes(make_tiff(20, 10, ByteVector(9), {{258, 8}, {259, 7}, {262, 1}})) ==
          tables + 20 + 9 + 2 * 200 + 24 + 2 * 18);
    CHECK(buffer_bytes(make_tiff(20, 10, ByteVector(9), {{258, 8}, {259, 50000}, {262, 1}})) ==
          tables + 20 + 9 + (9 << 20) + 24 + 2 * 18);
    // TIFF that libtiff converts: the strip as stored and as four channels.
    CHECK(buffer_bytes(make_tiff(20, 10, ByteVector(600), {{258, 8}, {262, 6}, {277, 3}})) == 200 * 7);
    CHECK(codec::saturating_product(std::int64_t{1} << 32, std::int64_t{1} << 32) == INT64_MAX);
    CHECK(codec::saturating_product(std::int64_t{1} << 31, std::int64_t{1} << 31, 2) == INT64_MAX);
    CHECK(codec::saturating_product(6, 7, 2) == 84);
    CHECK(codec::saturating_product(0, 7, 2) == 0);
}
