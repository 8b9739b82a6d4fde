#include "lib/image/colour.hpp"

#include <catch2/catch.hpp>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <turbojpeg.h>

#include "lib/image/formats/decode.hpp"
#include "lib/image/read_grey.hpp"
#include "tests/support/encoders.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

std::filesystem::path write(const TempDir& folder, const std::string& name, const ByteVector& bytes) {
    return folder.write(name, std::string(bytes.begin(), bytes.end()));
}

/// Largest difference of the picture's grey from what the detectors see.
double grey_difference(const cv::Mat& picture, const GreyImage& grey) {
    if (picture.cols != grey.width || picture.rows != grey.height) return 255;
    const GreyImage shown = expected_grey(picture);
    double most = 0;
    for (std::size_t i = 0; i < grey.pixels.size(); ++i) {
        most = std::max(most, std::abs(static_cast<double>(shown.pixels[i]) - grey.pixels[i]));
    }
    return most;
}

}  // namespace

TEST_CASE("pictures in colour lie as the detectors see them", "[image]") {
    const TempDir folder;
    const cv::Mat picture = colour_picture(37, 22);
    const ByteVector jpeg = encode_jpeg(picture, TJSAMP_444);
    const ByteVector png = encode(".png", picture);
    constexpr std::size_t behind_header = 33;
    for (int orientation = 1; orientation <= 8; ++orientation) {
        const ByteVector exif = make_exif(orientation, false);
        const ByteVector chunk = png_chunk("eXIf", ByteVector(exif.begin() + 6, exif.end()));
        const std::filesystem::path files[] = {
            write(folder, "j", with_exif(jpeg, exif)),
            write(folder, "p",
                  concatenate({ByteVector(png.begin(), png.begin() + behind_header), chunk,
                               ByteVector(png.begin() + behind_header, png.end())}))};
        for (const std::filesystem::path& file : files) {
            for (const bool apply : {true, false}) {
                INFO(file.filename() << " orientation " << orientation << " applied " << apply);
                DecodeOptions options;
                options.apply_exif_orientation = apply;
                const cv::Mat read = read_picture(file, options);
                REQUIRE(read.type() == CV_8UC3);
                CHECK(grey_difference(read, read_grey_image(file, options)) <= 24);
            }
        }
    }
    // PNG gives the picture back to the last bit.
    CHECK(cv::norm(read_picture(write(folder, "p", png)), picture, cv::NORM_INF) == 0);
}

TEST_CASE("pictures of some formats are grey, and none passes the limits", "[image]") {
    const TempDir folder;
    const cv::Mat colours = colour_picture(20, 11);
    for (const char* extension : {".tiff", ".ppm"}) {
        INFO(extension);
        const auto file = write(folder, "f", encode(extension, colours));
        const cv::Mat read = read_picture(file);
        CHECK(read.type() == CV_8UC1);
        CHECK(grey_difference(read, read_grey_image(file)) == 0);
    }
    CHECK(cv::norm(read_picture(write(folder, "b", encode(".bmp", colours))), colours, cv::NORM_INF) == 0);
    const ByteVector webp = encode(".webp", colours, {cv::IMWRITE_WEBP_QUALITY, 101});
    CHECK(cv::norm(read_picture(write(folder, "w", webp)), colours, cv::NORM_INF) == 0);
    const auto packed = write(folder, "f", gzip(encode(".png", colours)));
    CHECK(read_picture(packed).type() == CV_8UC1);
    CHECK(read_picture(write(folder, "g", encode(".png", grey_picture(20, 11)))).type() == CV_8UC1);
    CHECK(read_picture(write(folder, "g", encode(".jpg", grey_picture(20, 11)))).type() == CV_8UC1);
    CHECK(read_picture(write(folder, "16", encode(".png", colour_picture(20, 11, CV_16U)))).type() ==
          CV_8UC3);

    DecodeOptions small;
    small.max_pixels = 219;
    const ByteVector jpeg = encode_jpeg(colours, TJSAMP_420);
    for (const ByteVector& bytes : {jpeg, encode(".png", colours), encode(".bmp", colours)}) {
        const auto file = write(folder, "f", bytes);
        CHECK(reason_of([&] { read_picture(file, small); }) ==
              reason_of([&] { read_grey_image(file, small); }));
        const auto cut = write(
            folder, "c", ByteVector(bytes.begin(), bytes.begin() + static_cast<long>(bytes.size() * 2 / 3)));
        CHECK(!reason_of([&] { read_picture(cut); }).empty());
        CHECK(reason_of([&] { read_picture(cut); }) == reason_of([&] { read_grey_image(cut); }));
    }
    CHECK(reason_of([&] { read_picture(folder.path() / "none"); }) == "no such file");
    CHECK(reason_of([&] { read_picture(folder.path()); }) == "is a directory");
}
