#include <cstdlib>

#include <catch2/catch.hpp>
#include <malloc.h>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <turbojpeg.h>

#include "lib/image/colour.hpp"
#include "lib/image/formats/codec.hpp"
#include "lib/image/formats/orientation.hpp"
#include "lib/image/image_size.hpp"
#include "lib/image/read_grey.hpp"
#include "lib/process/allocation/allocation_calls.hpp"
#include "lib/process/memory_ceiling.hpp"
#include "tests/support/encoders.hpp"
#include "tests/support/images.hpp"
#include "tests/support/photo_encoders.hpp"
#include "tests/support/sanitizers.hpp"
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

/// Texture that takes many bytes.
cv::Mat textured_picture(int width, int height) {
    std::vector<cv::Mat> planes;
    for (std::uint32_t seed = 1; seed <= 3; ++seed) {
        GreyImage plane = smooth_noise(width, height, 1, seed);
        planes.push_back(cv::Mat(height, width, CV_8UC1, plane.pixels.data()).clone());
    }
    cv::Mat picture;
    cv::merge(planes, picture);
    return picture;
}

/// A file of which the second half was not copied.
ByteVector half_copied(ByteVector bytes) {
    std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(bytes.size() / 2), bytes.end(), std::uint8_t{0});
    return bytes;
}

/// The pixels of a file, or why it has none, where the C library fills fresh memory with a byte.
std::string outcome_in(int fresh_memory, const ByteVector& bytes) {
    ::mallopt(M_PERTURB, fresh_memory);
    std::string outcome;
    try {
        const GreyImage image = decode_grey_image(bytes);
        outcome.assign(image.pixels.begin(), image.pixels.end());
    } catch (const ImageError& error) {
        outcome = error.what();
    }
    ::mallopt(M_PERTURB, 0);
    return outcome;
}

struct NamedFile {
    std::string name;
    ByteVector bytes;
};

/// Files of every format, in the kinds that differ in what their decoders hold.
std::vector<NamedFile> files_of_all_formats(const cv::Mat& picture) {
    cv::Mat alpha, deep;
    cv::cvtColor(picture, alpha, cv::COLOR_BGR2BGRA);
    picture.convertTo(deep, CV_16U, 257);
    std::vector<NamedFile> files = {
        {"heic", encode_heif(picture, HeifCodec::hevc)},
        {"heic turned", encode_heif(picture, HeifCodec::hevc, 6)},
        {"avif", encode_heif(picture, HeifCodec::av1)},
        {"jxl", encode_jpeg_xl(picture)},
        {"jxl with channels", encode_jpeg_xl(picture, 1, 5)},
        {"jp2", encode_jpeg_2000(picture)},
        {"jp2 of 16 bits", encode_jpeg_2000(deep, {.bits = 16})},
        {"jpeg", encode_jpeg(picture, TJSAMP_420)},
        {"jpeg in scans", encode_jpeg(picture, TJSAMP_444, TJFLAG_PROGRESSIVE)},
        {"gif", encode_gif(grey_picture(picture.cols, picture.rows))},
        {"dng", encode_dng(mosaic_of(picture.cols, picture.rows, 20000, 30000, 10000), std::nullopt)},
        {"dng with a preview", encode_dng(mosaic_of(picture.cols, picture.rows, 20000, 30000, 10000),
                                          encode_jpeg(picture, TJSAMP_444))}};
    for (const int quality : {60, 101}) {
        files.push_back({"webp", encode(".webp", picture, {cv::IMWRITE_WEBP_QUALITY, quality})});
        files.push_back({"webp with alpha", encode(".webp", alpha, {cv::IMWRITE_WEBP_QUALITY, quality})});
    }
    for (const char* extension : {".png", ".bmp", ".ppm"})
        files.push_back({extension, encode(extension, picture)});
    files.push_back({"png with alpha", encode(".png", alpha)});
    files.push_back({"png of 16 bits", encode(".png", deep)});
    for (const int compression : {1, 5, 8, 32773, 34925, 50000})
        files.push_back({"tiff " + std::to_string(compression),
                         encode(".tiff", picture, {cv::IMWRITE_TIFF_COMPRESSION, compression})});
    return files;
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

TEST_CASE("a HEIC of tiles is its tiles, or unreadable where one is damaged", "[image][photo]") {
    const cv::Mat picture = textured_picture(128, 64);
    const ByteVector tile = encode_heif(picture, HeifCodec::hevc);
    const GreyImage one = decode_grey_image(tile);
    const GreyImage joined = decode_grey_image(heif_grid(tile, 3, 2, 128, 64));
    REQUIRE(joined.width == 384);
    REQUIRE(joined.height == 128);
    for (int y = 0; y < joined.height; ++y)
        for (int x = 0; x < joined.width; ++x) REQUIRE(joined.view()(x, y) == one.view()(x % 128, y % 64));
    for (const int damaged : {0, 5})
        CHECK_THAT(reason_of(heif_grid(tile, 3, 2, 128, 64, damaged)), Catch::StartsWith("corrupt HEIF: "));
}

TEST_CASE("a HEIC of tiles whose turn stands before its size is turned", "[image][photo]") {
    const ByteVector tile = encode_heif(textured_picture(128, 64), HeifCodec::hevc);
    const ByteVector turned = heif_grid(tile, 3, 2, 128, 64, -1, true);
    CHECK(size_of(turned).width == 128);
    CHECK(size_of(turned).height == 384);
    constexpr int to_the_left = 8;  // EXIF's orientation
    const GreyImage joined = decode_grey_image(heif_grid(tile, 3, 2, 128, 64));
    CHECK(decode_grey_image(turned).pixels == apply_orientation(joined, to_the_left).pixels);
}

TEST_CASE("damaged HEIC and AVIF are the same whatever fresh memory holds", "[image][photo]") {
    const cv::Mat picture = textured_picture(128, 128);
    for (const HeifCodec codec : {HeifCodec::hevc, HeifCodec::av1}) {
        const ByteVector whole = encode_heif(picture, codec);
        // Behind the boxes.
        const std::size_t begin = whole.size() / 8;
        int unreadable = 0;
        constexpr int rounds = 60;
        for (int round = 0; round < rounds; ++round) {
            ByteVector damaged = whole;
            damaged[begin + (whole.size() - begin) * static_cast<std::size_t>(round) / rounds] ^=
                static_cast<std::uint8_t>(1 << round % 8);
            const std::string outcome = outcome_in(0x55, damaged);
            INFO("codec " << int(codec) << ", round " << round);
            REQUIRE(outcome == outcome_in(0xaa, damaged));
            unreadable += outcome.find("HEIF") != std::string::npos;
        }
        INFO(unreadable << " of " << rounds);
        // AV1 makes pixels of any bits.
        if (codec == HeifCodec::hevc) CHECK(unreadable > rounds / 2);
    }
}

TEST_CASE("a half-copied file is truncated, and a picture of one colour is not", "[image][photo]") {
    const cv::Mat picture = textured_picture(300, 200);
    const std::vector<NamedFile> files = {
        {"heic", encode_heif(picture, HeifCodec::hevc)},
        {"avif", encode_heif(picture, HeifCodec::av1)},
        {"jp2", encode_jpeg_2000(picture)},
        {"j2k", encode_jpeg_2000(picture, {.bare = true})},
        {"jxl", encode_jpeg_xl(picture)},
        {"webp", encode(".webp", picture, {cv::IMWRITE_WEBP_QUALITY, 90})},
        {"webp without loss", encode(".webp", picture, {cv::IMWRITE_WEBP_QUALITY, 101})}};
    for (const NamedFile& file : files) {
        INFO(file.name << " of " << file.bytes.size() << " bytes");
        REQUIRE(file.bytes.size() > 4096);
        CHECK(reason_of(file.bytes).empty());
        const std::string reason = reason_of(half_copied(file.bytes));
        if (file.name == "jxl")
            CHECK_THAT(reason, Catch::Contains("JPEG XL"));
        else
            CHECK_THAT(reason, Catch::Contains("truncated"));
    }
    const cv::Mat flat(1000, 1400, CV_8UC3, cv::Scalar(0, 0, 0));
    CHECK(reason_of(encode(".webp", flat, {cv::IMWRITE_WEBP_QUALITY, 60})).empty());
    CHECK(reason_of(encode(".webp", flat, {cv::IMWRITE_WEBP_QUALITY, 101})).empty());
    CHECK(reason_of(encode_jpeg_2000(flat)).empty());
    CHECK(reason_of(encode_heif(flat, HeifCodec::hevc)).empty());
    CHECK(reason_of(encode_heif(flat, HeifCodec::av1)).empty());
    // Zeros behind a codestream that is all there are no part of it.
    ByteVector padded = encode_jpeg_2000(picture);
    padded.resize(padded.size() + 5000);
    CHECK(reason_of(padded).empty());
}

TEST_CASE("a HEIC or AVIF larger than it says takes no memory", "[image][photo]") {
    count_allocations();
    const cv::Mat flat(2048, 2048, CV_8UC3, cv::Scalar(90, 90, 90));
    for (const HeifCodec codec : {HeifCodec::hevc, HeifCodec::av1}) {
        const ByteVector liar = with_heif_size(encode_heif(flat, codec), 64, 48);
        const MemoryCeiling ceiling(std::size_t{1} << 40);
        CHECK_THAT(reason_of(liar), Catch::Contains("larger than its header says"));
        CHECK(ceiling.peak_bytes() < std::size_t{8} << 20);
    }
}

TEST_CASE("no decoder takes more than was planned", "[image][photo]") {
    count_allocations();
    // Bytes that a thread may take without having asked.
    constexpr std::size_t allowance = std::size_t{3} << 20;
    for (const cv::Mat& picture : {textured_picture(603, 401), textured_picture(61, 47)}) {
        for (const NamedFile& file : files_of_all_formats(picture)) {
            INFO(file.name << ", " << picture.cols << " x " << picture.rows);
            const codec::ImageFormat format = codec::format_of(codec::MemoryAccess(file.bytes));
            const codec::ImageHeader header = codec::read_header(format, file.bytes);
            const MemoryCeiling ceiling(std::size_t{1} << 40);
            CHECK_NOTHROW(codec::decode(format, file.bytes, header, {}));
            CHECK(ceiling.peak_bytes() <= codec::working_bytes(format, header, 0, {}) +
                                              file.bytes.size() * static_cast<std::size_t>(header.copies) +
                                              allowance);
            CHECK_NOTHROW(codec::read_picture(format, file.bytes, header));
            if (!has_sanitizer) CHECK(ceiling.peak_bytes() >= picture.total());
        }
    }
}
