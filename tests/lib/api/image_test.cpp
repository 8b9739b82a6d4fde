#include <fstream>

#include <fovea/image.hpp>

#include "kernels/luma/grey.hpp"
#include "lib/api/common/convert.hpp"
#include "tests/support/images.hpp"
#include "tests/support/temp_dir.hpp"

namespace fovea::test {
namespace {

using api::ImageView;
using api::PixelFormat;

/// Two rows of two pixels, with two bytes behind each row.
const std::vector<std::uint8_t> colours{255, 0, 0,   0,  255, 0,   9, 9,  //
                                        0,   0, 255, 10, 20,  200, 9, 9};

std::vector<std::uint8_t> pixels_of(const ImageView& view) {
    return api::grey_copy_of(view).pixels;
}

}  // namespace

TEST_CASE("colours in memory become grey as BT.601 has it", "[api]") {
    const std::uint8_t last = grey_of_rgb(10, 20, 200);
    CHECK(pixels_of({colours.data(), 2, 2, 8, PixelFormat::rgb}) ==
          std::vector<std::uint8_t>{76, 150, 29, last});
    CHECK(pixels_of({colours.data(), 2, 2, 8, PixelFormat::bgr}) ==
          std::vector<std::uint8_t>{29, 150, 76, grey_of_rgb(200, 20, 10)});
    // Four bytes a pixel: the fourth is passed over.
    const std::vector<std::uint8_t> with_alpha{255, 0, 0, 7, 10, 20, 200, 7};
    CHECK(pixels_of({with_alpha.data(), 2, 1, 8, PixelFormat::rgba}) == std::vector<std::uint8_t>{76, last});
    CHECK(pixels_of({with_alpha.data(), 2, 1, 8, PixelFormat::bgra}) ==
          std::vector<std::uint8_t>{29, grey_of_rgb(200, 20, 10)});
}

TEST_CASE("grey in memory is looked at where it lies", "[api]") {
    const std::vector<std::uint8_t> grey{1, 2, 9, 3, 4, 9};
    const api::GreyPixels pixels = api::grey_of({grey.data(), 2, 2, 3});
    CHECK(pixels.view.data == grey.data());
    CHECK(pixels.view.stride == 3);
    CHECK(pixels.copy.empty());
    CHECK(pixels_of({grey.data(), 2, 2, 3}) == std::vector<std::uint8_t>{1, 2, 3, 4});

    // From the last row up.
    const api::GreyPixels turned = api::grey_of({grey.data() + 3, 2, 2, -3});
    CHECK(turned.copy.pixels == std::vector<std::uint8_t>{3, 4, 1, 2});
    CHECK(turned.view.data == turned.copy.pixels.data());
}

TEST_CASE("an image in memory that cannot be is refused", "[api]") {
    CHECK_THROWS_WITH(api::grey_of({}), "the image has no pixels: it is 0 x 0");
    CHECK_THROWS_WITH(api::grey_of({colours.data(), 2, -1, 8}), "the image has no pixels: it is 2 x -1");
    CHECK_THROWS_WITH(api::grey_of({colours.data(), 3, 2, 8, PixelFormat::rgb}),
                      "the image's rows are 8 bytes apart, but 3 pixels take 9");
    CHECK_THROWS_AS(api::grey_of({}), UsageError);
}

TEST_CASE("an image file is read to grey, or its failure told with its name", "[api]") {
    const TempDir folder;
    const auto file = folder.write("a.ppm", "P6 2 1 255\n" + std::string("\xFF\0\0\0\xFF\0", 6));
    const api::Image image = api::read_image(file);
    CHECK(image.width == 2);
    CHECK(image.height == 1);
    CHECK(image.pixels == std::vector<std::uint8_t>{76, 150});
    CHECK(image.view().row_bytes == 2);

    const std::string bytes = "P5 3 1 255\nabc";
    const auto* const data = reinterpret_cast<const std::uint8_t*>(bytes.data());
    CHECK(api::decode_image({data, bytes.size()}).pixels == std::vector<std::uint8_t>{'a', 'b', 'c'});
    CHECK_THROWS_AS(api::decode_image({data, 5}), api::Error);

    const auto missing = folder.path() / "none.jpg";
    CHECK_THROWS_WITH(api::read_image(missing),
                      Catch::StartsWith("'" + missing.string() + "' cannot be read: "));
    CHECK_THROWS_WITH(api::read_image(folder.write("b.jpg", "no image")),
                      Catch::Contains("b.jpg' cannot be read: "));
    CHECK_THROWS_WITH(api::read_image(file, {.max_megapixels = 1e-6}), Catch::Contains("a.ppm"));
    CHECK_THROWS_WITH(api::read_image(file, {.max_megapixels = -1}),
                      Catch::StartsWith("max_megapixels must be above 0"));
}

}  // namespace fovea::test
