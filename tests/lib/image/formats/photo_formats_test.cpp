#include <cstdlib>

#include <catch2/catch.hpp>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <turbojpeg.h>

#include "lib/image/colour.hpp"
#include "lib/image/formats/codec.hpp"
#include "lib/image/formats/orientation.hpp"
#include "lib/image/image_size.hpp"
#include "lib/image/read_grey.hpp"
#include "tests/support/encoders.hpp"
#include "tests/support/photo_encoders.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

/// Without sharp edges, so that codecs with loss keep it.
cv::Mat smooth_picture(int width, int height) {
    cv::Mat picture(height, width, CV_8UC3);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            picture.at<cv::Vec3b>(y, x) = cv::Vec3b(
                static_cast<uchar>(40 + x), static_cast<uchar>(60 + 2 * y), static_cast<uchar>(200 - x - y));
    return picture;
}

int largest_difference(const GreyImage& a, const GreyImage& b) {
    REQUIRE(a.width == b.width);
    REQUIRE(a.height == b.height);
    int largest = 0;
    for (std::size_t i = 0; i < a.pixels.size(); ++i)
        largest = std::max(largest, std::abs(int{a.pixels[i]} - int{b.pixels[i]}));
    return largest;
}

cv::Mat read_colours(const ByteVector& bytes) {
    const TempDir folder;
    return read_picture(folder.write("x", {bytes.begin(), bytes.end()}));
}

ImageSize size_of(const ByteVector& bytes) {
    const TempDir folder;
    return read_image_size(folder.write("x", {bytes.begin(), bytes.end()}));
}

/// Grey, a colour of the file and its size, each by its own way.
void check_same(const ByteVector& bytes, const cv::Mat& expected, int tolerance) {
    const GreyImage grey = decode_grey_image(bytes);
    CHECK(largest_difference(grey, expected_grey(expected)) <= tolerance);
    const cv::Mat colours = read_colours(bytes);
    REQUIRE(colours.type() == expected.type());
    REQUIRE(colours.size() == expected.size());
    CHECK(cv::norm(colours, expected, cv::NORM_INF) <= 2 * tolerance);
    CHECK(size_of(bytes).width == expected.cols);
    CHECK(size_of(bytes).height == expected.rows);
}

/// A mosaic of one colour, red at the top left.
cv::Mat mosaic_of(int width, int height, int r, int g, int b) {
    cv::Mat mosaic(height, width, CV_16UC1);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            mosaic.at<ushort>(y, x) = static_cast<ushort>((y + x) % 2 == 1 ? g : y % 2 == 0 ? r : b);
    return mosaic;
}

void check_cuts(const ByteVector& bytes, std::size_t step) {
    for (std::size_t length = 0; length + 1 < bytes.size(); length += step) {
        INFO("cut to " << length << " of " << bytes.size());
        REQUIRE_FALSE(
            reason_of(ByteVector(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)))
                .empty());
    }
}

/// Decodes what is left of a file after each of many changes; anything but an image or an ImageError fails.
void check_flips(const ByteVector& bytes) {
    cv::RNG random(3);
    DecodeOptions options;
    options.max_pixels = 1'000'000;
    for (int round = 0; round < 200; ++round) {
        ByteVector damaged = bytes;
        const int range = round % 2 != 0 ? static_cast<int>(bytes.size()) : std::min<int>(300, bytes.size());
        damaged[static_cast<std::size_t>(random.uniform(0, range))] =
            static_cast<std::uint8_t>(random.uniform(0, 256));
        reason_of([&] { decode_grey_image(damaged, options); });
    }
    SUCCEED();
}

}  // namespace

TEST_CASE("HEIC and AVIF are what was put into them", "[image][photo]") {
    const cv::Mat picture = smooth_picture(96, 64);
    for (const HeifCodec codec : {HeifCodec::hevc, HeifCodec::av1}) {
        INFO(int(codec));
        check_same(encode_heif(picture, codec), picture, 4);
    }
}

TEST_CASE("HEIF's own turns are part of the picture", "[image][photo]") {
    const cv::Mat picture = smooth_picture(96, 64);
    for (const int orientation : {2, 3, 6, 8}) {
        INFO(orientation);
        const ByteVector bytes = encode_heif(picture, HeifCodec::hevc, orientation);
        const GreyImage expected = apply_orientation(expected_grey(picture), orientation);
        CHECK(largest_difference(decode_grey_image(bytes), expected) <= 4);
        CHECK(size_of(bytes).width == expected.width);
        // There is no EXIF orientation that could be left out.
        DecodeOptions as_stored;
        as_stored.apply_exif_orientation = false;
        CHECK(decode_grey_image(bytes, as_stored).width == expected.width);
    }
}

TEST_CASE("JPEG XL without loss is exact", "[image][photo]") {
    check_same(encode_jpeg_xl(colour_picture(33, 21)), colour_picture(33, 21), 0);
    check_same(encode_jpeg_xl(grey_picture(33, 21)), grey_picture(33, 21), 0);
    check_same(encode_jpeg_xl(colour_picture(1, 1)), colour_picture(1, 1), 0);
    for (const int orientation : {2, 6, 7}) {
        const GreyImage image = decode_grey_image(encode_jpeg_xl(grey_picture(33, 21), orientation));
        const GreyImage expected = apply_orientation(expected_grey(grey_picture(33, 21)), orientation);
        CHECK(image.width == expected.width);
        CHECK(image.pixels == expected.pixels);
    }
}

TEST_CASE("JPEG 2000 without loss is exact", "[image][photo]") {
    cv::Mat rgb;
    cv::cvtColor(colour_picture(33, 21), rgb, cv::COLOR_BGR2RGB);
    check_same(encode_jpeg_2000(rgb), colour_picture(33, 21), 0);
    check_same(encode_jpeg_2000(rgb, {.bare = true}), colour_picture(33, 21), 0);
    check_same(encode_jpeg_2000(grey_picture(33, 21)), grey_picture(33, 21), 0);
    // 12 bits: the nearest integer to 255 v / 4095.
    cv::Mat deep = (cv::Mat_<ushort>(2, 3) << 0, 4095, 2048, 8, 9, 100);
    CHECK(decode_grey_image(encode_jpeg_2000(deep, {.bits = 12})).pixels == ByteVector{0, 255, 128, 0, 1, 6});
    // The first channel is the luma.
    const GreyImage luma = decode_grey_image(encode_jpeg_2000(rgb, {.is_ycc = true}));
    std::vector<cv::Mat> channels;
    cv::split(rgb, channels);
    CHECK(luma.pixels == ByteVector(channels[0].begin<uchar>(), channels[0].end<uchar>()));
}

TEST_CASE("a camera's raw file is its preview, or developed where that is too small", "[image][photo]") {
    const cv::Mat mosaic = mosaic_of(128, 96, 20000, 30000, 10000);
    const ByteVector large = encode_jpeg(smooth_picture(64, 48), TJSAMP_444);
    const ByteVector small = encode_jpeg(smooth_picture(32, 24), TJSAMP_444);
    const GreyImage previewed = decode_grey_image(encode_dng(mosaic, large));
    CHECK(previewed.width == 64);
    CHECK(previewed.pixels == decode_grey_image(large).pixels);
    CHECK(read_colours(encode_dng(mosaic, large)).size() == cv::Size(64, 48));

    for (const auto& preview : {std::optional<ByteVector>(small), std::optional<ByteVector>()}) {
        const GreyImage developed = decode_grey_image(encode_dng(mosaic, preview));
        CHECK(developed.width == 128);
        CHECK(developed.height == 96);
        // One colour: the middle is even.
        const std::uint8_t middle = developed.view()(64, 48);
        for (int y = 20; y < 76; ++y)
            for (int x = 20; x < 108; ++x) REQUIRE(std::abs(developed.view()(x, y) - middle) <= 1);
        const cv::Vec3b colour = read_colours(encode_dng(mosaic, preview)).at<cv::Vec3b>(48, 64);
        CHECK(colour[1] > colour[2]);
        CHECK(colour[2] > colour[0]);
    }
}

TEST_CASE("a camera's raw file is turned as the camera was held", "[image][photo]") {
    const cv::Mat mosaic = mosaic_of(128, 96, 20000, 30000, 10000);
    const ByteVector jpeg = encode_jpeg(smooth_picture(64, 48), TJSAMP_444);
    const GreyImage turned = decode_grey_image(encode_dng(mosaic, jpeg, 6));
    const GreyImage expected = apply_orientation(decode_grey_image(jpeg), 6);
    CHECK(turned.width == 48);
    CHECK(turned.pixels == expected.pixels);
    CHECK(decode_grey_image(encode_dng(mosaic, std::nullopt, 8)).width == 96);
    // A preview that stands upright already.
    const ByteVector upright = encode_jpeg(smooth_picture(48, 64), TJSAMP_444);
    CHECK(decode_grey_image(encode_dng(mosaic, upright, 6)).pixels == decode_grey_image(upright).pixels);
    DecodeOptions as_stored;
    as_stored.apply_exif_orientation = false;
    CHECK(decode_grey_image(encode_dng(mosaic, jpeg, 6), as_stored).pixels == decode_grey_image(jpeg).pixels);
}

TEST_CASE("a TIFF with a camera's name is no raw file", "[image][photo]") {
    const ByteVector tiff = encode(".tiff", colour_picture(20, 10));
    CHECK(codec::format_of(codec::MemoryAccess(tiff)) == codec::ImageFormat::tiff);
    const ByteVector dng = encode_dng(mosaic_of(64, 48, 1, 2, 3), std::nullopt);
    CHECK(codec::format_of(codec::MemoryAccess(dng)) == codec::ImageFormat::camera_raw);
}

TEST_CASE("cut and damaged photographs of phones and cameras are errors or images", "[image][photo]") {
    const cv::Mat picture = smooth_picture(64, 48);
    const ByteVector heic = encode_heif(picture, HeifCodec::hevc),
                     avif = encode_heif(picture, HeifCodec::av1);
    const ByteVector jxl = encode_jpeg_xl(picture), jp2 = encode_jpeg_2000(picture);
    const ByteVector dng = encode_dng(mosaic_of(64, 48, 20000, 30000, 10000), std::nullopt);
    for (const ByteVector* bytes : {&heic, &avif, &jxl, &jp2, &dng}) {
        INFO("file " << bytes->size());
        check_cuts(*bytes, bytes->size() / 40 + 1);
        check_flips(*bytes);
    }
}

TEST_CASE("photographs of phones within gzip, and beyond the limit", "[image][photo]") {
    const ByteVector heic = encode_heif(smooth_picture(96, 64), HeifCodec::hevc);
    CHECK(decode_grey_image(gzip(heic)).pixels == decode_grey_image(heic).pixels);
    DecodeOptions options;
    options.max_pixels = 1000;
    for (const ByteVector& bytes :
         {heic, encode_jpeg_xl(colour_picture(96, 64)), encode_jpeg_2000(colour_picture(96, 64)),
          encode_dng(mosaic_of(96, 64, 9, 9, 9), std::nullopt)})
        CHECK(reason_of([&] { decode_grey_image(bytes, options); }) ==
              "too large: 96 x 64 pixels, the limit is 1000 in all");
}
