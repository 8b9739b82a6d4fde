#include <catch2/catch.hpp>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <turbojpeg.h>

#include "kernels/luma/grey.hpp"
#include "lib/image/formats/decode.hpp"
#include "lib/image/read_grey.hpp"
#include "tests/support/encoders.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

void check_equal(const GreyImage& a, const GreyImage& b) {
    CHECK(a.width == b.width);
    CHECK(a.height == b.height);
    CHECK(a.pixels == b.pixels);
}

ByteVector luma_by_turbojpeg(const ByteVector& jpeg, int width, int height) {
    tjhandle handle = tjInitDecompress();
    ByteVector luma(static_cast<std::size_t>(width * height));
    const int outcome = tjDecompress2(handle, jpeg.data(), jpeg.size(), luma.data(), width, 0, height,
                                      TJPF_GRAY, TJFLAG_ACCURATEDCT);
    tjDestroy(handle);
    if (outcome != 0) luma.clear();
    return luma;
}

}  // namespace

TEST_CASE("lossless formats decode to the documented grey", "[image]") {
    cv::Mat alpha8, alpha16;
    cv::cvtColor(colour_picture(17, 9), alpha8, cv::COLOR_BGR2BGRA);
    cv::cvtColor(colour_picture(17, 9, CV_16U), alpha16, cv::COLOR_BGR2BGRA);
    cv::insertChannel(grey_picture(17, 9), alpha8, 3);
    cv::insertChannel(grey_picture(17, 9, CV_16U), alpha16, 3);
    const cv::Mat pictures[] = {
        grey_picture(17, 9),         colour_picture(17, 9),         alpha8,
        grey_picture(17, 9, CV_16U), colour_picture(17, 9, CV_16U), alpha16,
        grey_picture(1, 1),          colour_picture(1, 13),         colour_picture(40, 1)};
    for (const cv::Mat& picture : pictures) {
        INFO(picture.cols << " x " << picture.rows << " type " << cv::typeToString(picture.type()));
        const GreyImage expected = expected_grey(picture);
        check_equal(decode_grey_image(encode(".png", picture)), expected);
        for (const int compression : {1, 5, 8, 32773}) {
            INFO("TIFF compression " << compression);
            check_equal(
                decode_grey_image(encode(".tiff", picture, {cv::IMWRITE_TIFF_COMPRESSION, compression})),
                expected);
        }
        if (picture.depth() == CV_8U) check_equal(decode_grey_image(encode(".bmp", picture)), expected);
        if (picture.depth() == CV_8U && picture.channels() >= 3) {
            // Lossless WebP may change the colour under alpha 0.
            cv::Mat opaque = picture.clone();
            if (picture.channels() == 4) opaque |= cv::Scalar(0, 0, 0, 1);
            check_equal(decode_grey_image(encode(".webp", opaque, {cv::IMWRITE_WEBP_QUALITY, 101})),
                        expected);
        }
        if (picture.channels() < 4)
            for (const int binary : {0, 1})
                check_equal(decode_grey_image(encode(picture.channels() == 1 ? ".pgm" : ".ppm", picture,
                                                     {cv::IMWRITE_PXM_BINARY, binary})),
                            expected);
    }
}

TEST_CASE("lossy WebP decodes as by OpenCV", "[image]") {
    const ByteVector webp = encode(".webp", colour_picture(33, 21), {cv::IMWRITE_WEBP_QUALITY, 70});
    check_equal(decode_grey_image(webp), expected_grey(cv::imdecode(webp, cv::IMREAD_COLOR)));
}

TEST_CASE("JPEG decodes to its own luma in every subsampling", "[image]") {
    const cv::Mat colour = colour_picture(45, 31);
    for (const int flags : {0, TJFLAG_PROGRESSIVE}) {
        for (const int subsampling :
             {TJSAMP_444, TJSAMP_422, TJSAMP_420, TJSAMP_440, TJSAMP_411, TJSAMP_GRAY}) {
            INFO("subsampling " << subsampling << " flags " << flags);
            const ByteVector jpeg = encode_jpeg(colour, subsampling, flags);
            const ByteVector luma = luma_by_turbojpeg(jpeg, 45, 31);
            REQUIRE(!luma.empty());
            check_equal(decode_grey_image(jpeg), {45, 31, luma});
        }
        const ByteVector grey = encode_jpeg(grey_picture(45, 31), TJSAMP_GRAY, flags);
        check_equal(decode_grey_image(grey), {45, 31, luma_by_turbojpeg(grey, 45, 31)});
    }
}

TEST_CASE("a sequential JPEG of several scans", "[image]") {
    const ByteVector grey = encode_jpeg(grey_picture(45, 31), TJSAMP_GRAY);
    check_equal(decode_grey_image(with_three_scans(grey)), decode_grey_image(grey));
}

TEST_CASE("CMYK JPEG goes through the formula", "[image]") {
    cv::Mat cmyk(16, 16, CV_8UC4, cv::Scalar(250, 100, 30, 200));
    const GreyImage image = decode_grey_image(encode_jpeg(cmyk, TJSAMP_444));
    CHECK(image.width == 16);
    const int expected = grey_of_inverted_cmyk(250, 100, 30, 200);
    for (const std::uint8_t v : image.pixels) REQUIRE(std::abs(v - expected) <= 2);  // JPEG is lossy
}

TEST_CASE("RGB JPEG goes through the formula", "[image]") {
    // A 4:4:4 YCbCr file relabelled as RGB by Adobe's marker: its planes are then red, green and blue.
    const cv::Mat picture = colour_picture(24, 16);
    ByteVector jpeg = encode_jpeg(picture, TJSAMP_444);
    const ByteVector adobe = {0xff, 0xee, 0, 14, 'A', 'd', 'o', 'b', 'e', 0, 100, 0, 0, 0, 0, 0};
    // JFIF says YCbCr and is believed first: its APP0 goes.
    REQUIRE(jpeg[3] == 0xe0);
    jpeg.erase(jpeg.begin() + 2, jpeg.begin() + 4 + (jpeg[4] << 8 | jpeg[5]));
    jpeg.insert(jpeg.begin() + 2, adobe.begin(), adobe.end());
    tjhandle handle = tjInitDecompress();
    cv::Mat bgr(16, 24, CV_8UC3);
    REQUIRE(tjDecompress2(handle, jpeg.data(), jpeg.size(), bgr.data, 24, 0, 16, TJPF_BGR,
                          TJFLAG_ACCURATEDCT) == 0);
    tjDestroy(handle);
    check_equal(decode_grey_image(jpeg), expected_grey(bgr));
}

TEST_CASE("PNM kinds by hand", "[image]") {
    const auto pixels = [](const std::string& text) { return decode_grey_image(bytes_of(text)).pixels; };
    using V = ByteVector;
    CHECK(pixels("P1\n# a comment\n3 1\n1 0 1\n") == V{0, 255, 0});
    CHECK(pixels("P1 3 2\n101010") == V{0, 255, 0, 255, 0, 255});
    CHECK(pixels(std::string("P4 10 2\n\xa0\x40\x5f\x80", 12)) ==
          V{0, 255, 0, 255, 255, 255, 255, 255, 255, 0, 255, 0, 255, 0, 0, 0, 0, 0, 0, 255});
    CHECK(pixels("P2 2 1 15 7 15") == V{119, 255});
    CHECK(pixels("P2 2 1 #max\n 65535\n 129 128\n") == V{1, 0});
    CHECK(pixels("P3 1 1 255 255 0 0\n") == V{76});
    CHECK(pixels(std::string("P5 2 1 1023\n\x03\xff\x02\x00", 16)) == V{255, 128});
    CHECK(pixels(std::string("P5 2 1 15\n\x07\x0f", 12)) == V{119, 255});
    CHECK(pixels("P6 1 1 255\n\xff\xff\xff") == V{255});
    CHECK(reason_of(bytes_of("P2 2 1 70000 1 1")).find("70000") != std::string::npos);
    CHECK(reason_of(bytes_of("P2 2 1 255 1 x")).find("byte 13") != std::string::npos);
    CHECK(reason_of(bytes_of("P5 2 2 255\nabc")) == "truncated PNM: 3 bytes of pixels of 4");
}

TEST_CASE("palette, low-bit and interlaced PNG", "[image]") {
    const cv::Mat bits =
        (cv::Mat_<uchar>(2, 9) << 0, 255, 0, 255, 255, 0, 0, 0, 255, 255, 0, 0, 255, 0, 255, 0, 0, 0);
    check_equal(decode_grey_image(encode(".png", bits, {cv::IMWRITE_PNG_BILEVEL, 1})), expected_grey(bits));
    // 2 x 1 pixels of a palette by hand: stored deflate block of filter 0 and indices 1, 0.
    const ByteVector head = {0x89, 'P', 'N', 'G', 13, 10, 26, 10};
    const ByteVector zlib = {0x78, 1, 1, 3, 0, 0xfc, 0xff, 0, 1, 0, 0, 5, 0, 2};
    const ByteVector header = {0, 0, 0, 2, 0, 0, 0, 1, 8, 3, 0, 0, 0};
    const ByteVector png =
        concatenate({head, png_chunk("IHDR", header), png_chunk("PLTE", {255, 0, 0, 0, 0, 255}),
                     png_chunk("tRNS", {0, 0}), png_chunk("IDAT", zlib), png_chunk("IEND", {})});
    CHECK(decode_grey_image(png).pixels == ByteVector{29, 76});
    const ByteVector no_palette =
        concatenate({head, png_chunk("IHDR", header), png_chunk("IDAT", zlib), png_chunk("IEND", {})});
    CHECK(reason_of(no_palette).find("no palette") != std::string::npos);
}

TEST_CASE("TIFF kinds by hand", "[image]") {
    const auto pixels = [](const ByteVector& strip, const std::vector<TiffTag>& tags, int width, bool big) {
        return decode_grey_image(make_tiff(width, 1, strip, tags, big)).pixels;
    };
    using V = ByteVector;
    // White is zero: 8 and 16 bits.
    CHECK(pixels({0, 255, 7}, {{258, 8}, {262, 0}}, 3, false) == V{255, 0, 248});
    CHECK(pixels({0, 0, 255, 255, 1, 0}, {{258, 16}, {262, 0}}, 3, true) == V{255, 0, 254});
    CHECK(pixels({0xa0}, {{258, 1}, {262, 1}}, 8, false) == V{255, 0, 255, 0, 0, 0, 0, 0});
    // Colour is not multiplied by unassociated alpha.
    CHECK(pixels({255, 0, 0, 0, 10, 10, 10, 128}, {{258, 8}, {262, 2}, {277, 4}, {338, 2}}, 2, false) ==
          V{76, 10});
    for (const std::uint32_t type : {1u, 4u, 9u})
        for (const bool big : {false, true})
            CHECK(pixels({255, 0, 0, 0, 10, 10, 10, 128}, {{258, 8}, {262, 2}, {277, 4}, {338, 2, type}}, 2,
                         big) == V{76, 10});
    CHECK(pixels({9, 0, 200, 128}, {{258, 8}, {262, 1}, {277, 2}, {338, 2}}, 2, true) == V{9, 200});

    // One tile of 32 x 32 for a picture of 20 x 10.
    const cv::Mat tile = grey_picture(32, 32);
    const ByteVector tile_bytes(tile.datastart, tile.dataend);
    check_equal(decode_grey_image(make_tiff(20, 10, tile_bytes, {{258, 8}, {262, 1}, {322, 32}, {323, 32}})),
                expected_grey(tile(cv::Rect(0, 0, 20, 10)).clone()));
    const ByteVector half_tile(tile_bytes.begin(), tile_bytes.begin() + 512);
    CHECK(reason_of(make_tiff(20, 10, half_tile, {{258, 8}, {262, 1}, {322, 32}, {323, 32}})) ==
          "truncated TIFF: tile 1 of 1 holds fewer pixels than it should");

    const auto refused = [](const std::vector<TiffTag>& tags) {
        return reason_of(make_tiff(1, 1, ByteVector(16), tags));
    };
    CHECK(refused({{258, 32}, {262, 1}, {339, 3}}) ==
          "grey TIFF with 32-bit floating point samples is not supported");
    CHECK(refused({{258, 8}, {262, 1}, {339, 2}}) == "grey TIFF with signed samples is not supported");
    CHECK(refused({{258, 5}, {262, 1}}) == "grey TIFF with 5 bits per sample is not supported");
    CHECK(refused({{258, 8}}).find("photometric") != std::string::npos);
    CHECK(reason_of(encode(".tiff", cv::Mat(3, 3, CV_32F, cv::Scalar(0.5)))).find("floating point") !=
          std::string::npos);
}

TEST_CASE("the first page of a TIFF", "[image]") {
    const TempDir folder;
    const std::string path = (folder.path() / "pages.tiff").string();
    const std::vector<cv::Mat> pages = {grey_picture(7, 5), colour_picture(9, 4)};
    REQUIRE(cv::imwrite(path, pages));
    check_equal(read_grey_image(path), expected_grey(pages[0]));
}

TEST_CASE("GIF: interlaced, screen and transparency", "[image]") {
    const cv::Mat indices = grey_picture(19, 11);
    const auto grey = [](int index) {
        const cv::Vec3b c = palette_colour(index);
        return grey_of_rgb(c[0], c[1], c[2]);
    };
    GreyImage frame{19, 11, {}};
    for (const uchar index : cv::Mat_<uchar>(indices)) frame.pixels.push_back(grey(index));

    check_equal(decode_grey_image(encode_gif(indices)), frame);
    GifOptions options;
    options.interlaced = true;
    check_equal(decode_grey_image(encode_gif(indices, options)), frame);
    options = {};
    options.frames = 3;
    check_equal(decode_grey_image(encode_gif(indices, options)), frame);
    options = {};
    options.transparent = indices.at<uchar>(3, 3);
    check_equal(decode_grey_image(encode_gif(indices, options)), frame);

    options = {};
    options.screen_width = 30;
    options.screen_height = 20;
    options.left = 5;
    options.top = 8;  // the last row is on the screen, below it one row of background
    options.background = 77;
    const GreyImage screen = decode_grey_image(encode_gif(indices, options));
    REQUIRE(screen.width == 30);
    REQUIRE(screen.height == 20);
    for (int y = 0; y < 20; ++y)
        for (int x = 0; x < 30; ++x) {
            const bool inside = x >= 5 && x < 24 && y >= 8 && y < 19;
            REQUIRE(screen.view()(x, y) == (inside ? grey(indices.at<uchar>(y - 8, x - 5)) : grey(77)));
        }

    options = {};
    options.screen_width = 10;
    options.screen_height = 10;
    const GreyImage grown = decode_grey_image(encode_gif(indices, options));
    check_equal(grown, frame);
}

namespace {

ByteVector little(std::size_t value, int bytes) {
    ByteVector result;
    for (int i = 0; i < bytes; ++i) result.push_back(static_cast<std::uint8_t>(value >> 8 * i));
    return result;
}

ByteVector webp_chunk(const std::string& name, const ByteVector& data) {
    ByteVector chunk = concatenate({bytes_of(name), little(data.size(), 4), data});
    if (data.size() % 2 != 0) chunk.push_back(0);
    return chunk;
}

/// An animation on a canvas, of frames at (left, top), each the picture of a WebP.
ByteVector animated_webp(cv::Size canvas, cv::Point place, const std::vector<ByteVector>& stills,
                         const std::vector<cv::Mat>& pictures) {
    ByteVector chunks =
        webp_chunk("VP8X", concatenate({{0x02, 0, 0, 0},
                                        little(static_cast<std::size_t>(canvas.width) - 1, 3),
                                        little(static_cast<std::size_t>(canvas.height) - 1, 3)}));
    chunks = concatenate({chunks, webp_chunk("ANIM", {9, 99, 199, 255, 0, 0})});
    for (std::size_t i = 0; i < stills.size(); ++i) {
        const ByteVector frame = concatenate({little(static_cast<std::size_t>(place.x) / 2, 3),
                                              little(static_cast<std::size_t>(place.y) / 2, 3),
                                              little(static_cast<std::size_t>(pictures[i].cols) - 1, 3),
                                              little(static_cast<std::size_t>(pictures[i].rows) - 1, 3),
                                              {100, 0, 0, 0},
                                              {stills[i].begin() + 12, stills[i].end()}});
        chunks = concatenate({chunks, webp_chunk("ANMF", frame)});
    }
    return concatenate({bytes_of("RIFF"), little(chunks.size() + 4, 4), bytes_of("WEBP"), chunks});
}

}  // namespace

TEST_CASE("an animated WebP is its first frame", "[image]") {
    const std::vector<int> lossless = {cv::IMWRITE_WEBP_QUALITY, 101};
    const std::vector<cv::Mat> pictures = {colour_picture(19, 11),
                                           cv::Mat(11, 19, CV_8UC3, cv::Scalar::all(7))};
    const std::vector<ByteVector> stills = {encode(".webp", pictures[0], lossless),
                                            encode(".webp", pictures[1], lossless)};
    check_equal(decode_grey_image(animated_webp({19, 11}, {0, 0}, stills, pictures)),
                expected_grey(pictures[0]));
    // A lossy frame.
    const ByteVector lossy = encode(".webp", pictures[0]);
    check_equal(decode_grey_image(animated_webp({19, 11}, {0, 0}, {lossy}, pictures)),
                decode_grey_image(lossy));

    // On a larger canvas: black where there is no frame.
    const ByteVector placed = animated_webp({30, 20}, {6, 4}, stills, pictures);
    cv::Mat canvas(20, 30, CV_8UC3, cv::Scalar::all(0));
    pictures[0].copyTo(canvas(cv::Rect(6, 4, 19, 11)));
    check_equal(decode_grey_image(placed), expected_grey(canvas));

    CHECK(reason_of(animated_webp({19, 11}, {2, 0}, stills, pictures)) ==
          "corrupt WebP: a frame outside of the picture");
    CHECK(reason_of(animated_webp({19, 11}, {0, 0}, {}, {})) ==
          "truncated WebP: it ends before its first frame does");
    for (std::size_t length = 30; length < placed.size(); length += 7)
        CHECK(reason_of(ByteVector(placed.begin(), placed.begin() + static_cast<std::ptrdiff_t>(length)))
                  .find("WebP") != std::string::npos);
}

TEST_CASE("gzip and bzip2 around any format", "[image]") {
    const cv::Mat picture = colour_picture(23, 17);
    const ByteVector files[] = {encode(".png", picture),         encode(".tiff", picture),
                                encode(".ppm", picture),         encode(".bmp", picture),
                                encode(".webp", picture),        encode_gif(grey_picture(9, 9)),
                                encode_jpeg(picture, TJSAMP_420)};
    for (const ByteVector& file : files) {
        const GreyImage plain = decode_grey_image(file);
        check_equal(decode_grey_image(gzip(file)), plain);
        check_equal(decode_grey_image(bzip2(file)), plain);
        const auto half = file.begin() + static_cast<std::ptrdiff_t>(file.size() / 2);
        const ByteVector first(file.begin(), half), second(half, file.end());
        check_equal(decode_grey_image(concatenate({gzip(first), gzip(second)})), plain);
        check_equal(decode_grey_image(concatenate({bzip2(first), bzip2(second)})), plain);
        check_equal(decode_grey_image(concatenate({gzip(file), {0, 0, 0, 0}})), plain);
    }
    CHECK(reason_of(gzip(gzip(files[0]))) == "is compressed more than once");
    CHECK(reason_of(gzip(bytes_of("hello there"))).find("not an image") == 0);
    CHECK(reason_of(gzip({})) == "empty file");
}

TEST_CASE("a decompression bomb stops early", "[image]") {
    // A 2 x 2 PNM and 70 MiB of zeros.
    ByteVector bomb = bytes_of("P5 2 2 255\n");
    bomb.resize(std::size_t{70} << 20);
    CHECK(reason_of(gzip(bomb)).find("unpacks to more than 67108944 bytes") == 0);
    DecodeOptions options;
    options.max_pixels = 100;
    const ByteVector large = gzip(encode(".pgm", grey_picture(11, 10)));
    CHECK(reason_of([&] { decode_grey_image(large, options); }) ==
          "too large: 11 x 10 pixels, the limit is 100 in all");
}

TEST_CASE("decoders have names and versions", "[image]") {
    const std::string text = decoder_description();
    CHECK(text.find("libjpeg-turbo 2.") == 0);
    for (const char* library : {"libpng 1.", "libwebp 1.", "giflib 5.", "libtiff 4.", "libheif 1.",
                                "libjxl 0.", "OpenJPEG 2.", "LibRaw 0.", "zlib 1.", "bzip2 1."}) {
        CAPTURE(library);
        CHECK_THAT(text, Catch::Contains(library));
    }
}
