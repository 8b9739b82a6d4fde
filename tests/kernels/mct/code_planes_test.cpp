// Census codes: known ones, and planes of them against one neighbourhood at a time.

#include "kernels/mct/code_planes.hpp"

#include <algorithm>
#include <tuple>

#include <catch2/catch.hpp>

#include "kernels/mct/mct_body.hpp"
#include "tests/support/images.hpp"
#include "tests/support/simd_targets.hpp"

using namespace fovea;

namespace {

constexpr PlaneSet all_planes{true, true, true, true, true};

// Pixels as CodePlanes wants them: rows with room behind them.
struct PaddedImage {
    explicit PaddedImage(const GreyImage& image) : stride(CodePlanes::row_bytes(image.width)) {
        pixels.resize(stride * image.height, 200);
        for (int y = 0; y < image.height; ++y) {
            const auto row = image.pixels.begin() + static_cast<std::ptrdiff_t>(y) * image.width;
            std::copy(row, row + image.width, pixels.begin() + y * stride);
        }
        view = {pixels.data(), image.width, image.height, stride};
    }
    std::ptrdiff_t stride;
    std::vector<std::uint8_t> pixels;
    ImageView<const std::uint8_t> view;
};

CodePlanes transformed(const PaddedImage& image) {
    CodePlanes planes;
    planes.reserve(all_planes, {image.view.width, image.view.height});
    planes.transform_cells(image.view);
    planes.transform_windows(image.view);
    return planes;
}

// Returns how many codes were compared.
int compare_all(const CodePlanes& planes, const GreyImage& image) {
    int compared = 0;
    for (MctPlane plane :
         {MctPlane::pixel, MctPlane::block2, MctPlane::coarse2, MctPlane::coarse4, MctPlane::contrast4}) {
        const int block = mct_block(plane);
        const int grid = mct_is_coarse(plane) ? 2 : 1;
        for (int y = 0; y + 3 * block <= image.height; y += grid) {
            for (int x = 0; x + 3 * block <= image.width; x += grid) {
                INFO("plane " << static_cast<int>(plane) << ", " << x << ", " << y);
                REQUIRE(planes.plane(plane)[y / grid * planes.stride(plane) + x / grid] ==
                        mct_code_at(image.view(), plane, x, y));
                ++compared;
            }
        }
    }
    return compared;
}

}  // namespace

TEST_CASE("codes: known neighbourhoods", "[mct][codes]") {
    CHECK(mct_code({5, 5, 5, 5, 5, 5, 5, 5, 5}) == 0);
    CHECK(mct_code({0, 0, 0, 0, 1, 0, 0, 0, 0}) == 16);
    CHECK(mct_code({9, 0, 0, 0, 0, 0, 0, 0, 0}) == 256);
    CHECK(mct_code({0, 0, 0, 0, 0, 0, 0, 0, 9}) == 1);
    CHECK(mct_code({7, 7, 7, 7, 7, 7, 7, 7, 6}) == 510);
    // The mean is 4: 4 is not above it.
    CHECK(mct_code({0, 1, 2, 3, 4, 5, 6, 7, 8}) == 15);
    // Blocks of 2×2 whose sums are 0 but for the middle one's.
    GreyImage image{6, 6, std::vector<std::uint8_t>(36)};
    image.pixels[3 * 6 + 3] = 1;
    CHECK(mct_code_at(image.view(), MctPlane::block2, 0, 0) == 16);
    CHECK(mct_code_at(image.view(), MctPlane::pixel, 1, 1) == 1);
}

TEST_CASE("codes: contrast is an eighth of the range of the block sums", "[mct][codes]") {
    CHECK(contrast_code({7, 7, 7, 7, 7, 7, 7, 7, 7}) == 0);
    CHECK(contrast_code({7, 0, 7, 7, 7, 7, 7, 7, 7}) == 0);
    CHECK(contrast_code({8, 0, 7, 7, 7, 7, 7, 7, 7}) == 1);
    CHECK(contrast_code({4080, 9, 9, 9, 9, 9, 9, 9, 0}) == 510);
    // One block of 4×4 white pixels on black.
    GreyImage image{12, 12, std::vector<std::uint8_t>(144)};
    for (int y = 4; y < 8; ++y) std::fill_n(&image.pixels[y * 12 + 4], 4, std::uint8_t{255});
    CHECK(mct_code_at(image.view(), MctPlane::contrast4, 0, 0) == 510);
    CHECK(mct_code_at(image.view(), MctPlane::coarse4, 0, 0) == 16);
}

TEST_CASE("codes: a look-up on a coarse plane reads at its window's cell", "[mct][codes]") {
    const MctLookup coarse{MctPlane::coarse4, 4, 6, false, 0};
    CHECK(mct_place(coarse, 7, 9).x == 10);
    CHECK(mct_place(coarse, 7, 9).y == 14);
    const MctLookup fine{MctPlane::block2, 4, 6, false, 0};
    CHECK(mct_place(fine, 7, 9).x == 11);
    CHECK(mct_place(fine, 7, 9).y == 15);
}

TEST_CASE("codes: vectors give the codes of single neighbourhoods", "[mct][codes]") {
    for (const std::string& target : test::all_simd_targets()) {
        const test::ForcedSimdTarget forced(target);
        for (const auto& [width, height] :
             {std::tuple{24, 24}, std::tuple{25, 26}, std::tuple{26, 25}, std::tuple{63, 55},
              std::tuple{64, 56}, std::tuple{65, 57}, std::tuple{139, 37}}) {
            INFO(target << ", " << width << "x" << height);
            const GreyImage image = test::noise(width, height, 11);
            // The smallest: 22² + 19² codes of windows, 10² + 2 · 7² of cells.
            CHECK(compare_all(transformed(PaddedImage(image)), image) >= 1043);
        }
    }
}

TEST_CASE("codes: grey levels next to each other and extremes are told apart", "[mct][codes]") {
    // Only 0 and 1, and only 254 and 255: sums of nine blocks reach 36720, means lie between integers.
    for (int dark : {0, 254}) {
        GreyImage image = test::noise(70, 60, 4);
        for (std::uint8_t& pixel : image.pixels) pixel = static_cast<std::uint8_t>(dark + pixel % 2);
        compare_all(transformed(PaddedImage(image)), image);
    }
    GreyImage image = test::noise(70, 60, 4);
    for (std::uint8_t& pixel : image.pixels) pixel = pixel < 128 ? 0 : 255;
    compare_all(transformed(PaddedImage(image)), image);
}

TEST_CASE("codes: memory is kept for parts of other sizes", "[mct][codes]") {
    CodePlanes planes;
    for (const auto& [width, height] : {std::tuple{130, 90}, std::tuple{24, 24}, std::tuple{61, 140}}) {
        const GreyImage image = test::noise(width, height, 21);
        const PaddedImage padded(image);
        planes.reserve(all_planes, {width, height});
        planes.transform_cells(padded.view);
        planes.transform_windows(padded.view);
        compare_all(planes, image);
    }
}
