#include "tests/lab/large_tiff.hpp"

#include <catch2/catch.hpp>
#include <opencv2/core.hpp>

#include "lib/core/error.hpp"
#include "lib/image/read_grey.hpp"
#include "tests/support/encoders.hpp"
#include "tests/support/temp_dir.hpp"

namespace fovea {

TEST_CASE("a large TIFF holds the picture again and again", "[lab]") {
    const test::TempDir folder;
    const cv::Mat picture = test::colour_picture(30, 20);
    // Strips of 64 rows: one alone, one whole and a rest.
    for (const Size size : {Size{40, 10}, Size{31, 64}, Size{70, 131}}) {
        CAPTURE(size.width, size.height);
        const auto file = folder.path() / "large.tif";
        write_large_tiff(file, size, picture);
        const GreyImage image = read_grey_image(file);
        cv::Mat wanted(size.height, size.width, CV_8UC3);
        for (int y = 0; y < size.height; ++y)
            for (int x = 0; x < size.width; ++x)
                wanted.at<cv::Vec3b>(y, x) = picture.at<cv::Vec3b>(y % 20, x % 30);
        const GreyImage expected = test::expected_grey(wanted);
        CHECK(image.width == size.width);
        CHECK(image.height == size.height);
        CHECK(image.pixels == expected.pixels);
    }
    CHECK_THROWS_AS(write_large_tiff(folder.path() / "none/large.tif", {4, 4}, picture), Error);
}

}  // namespace fovea
