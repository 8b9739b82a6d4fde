#include "kernels/resize/halve.hpp"

#include <catch2/catch.hpp>

#include "tests/support/images.hpp"
#include "tests/support/simd_targets.hpp"

using namespace fovea;

TEST_CASE("halve: pixels are means rounded half up", "[resize]") {
    const std::vector<std::uint8_t> pixels{0, 1, 255, 255, 9,  //
                                           0, 1, 255, 254, 9,  //
                                           9, 9, 9,   9,   9};
    const GreyBuffer half = halve({pixels.data(), 5, 3, 5});
    CHECK(half.size == Size{2, 1});
    CHECK(half.pixels == std::vector<std::uint8_t>{1, 255});
    CHECK(halve_simd({pixels.data(), 5, 3, 5}).pixels == half.pixels);
}

TEST_CASE("halve: vectors halve as single pixels do", "[resize]") {
    for (const std::string& target : test::all_simd_targets()) {
        const test::ForcedSimdTarget forced(target);
        for (int width : {2, 3, 24, 25, 63, 64, 65, 127, 128, 129, 258}) {
            INFO(target << ", width " << width);
            const GreyImage image = test::noise(width, 7, 5);
            const GreyBuffer expected = halve(image.view());
            const GreyBuffer made = halve_simd(image.view());
            REQUIRE(made.size == expected.size);
            REQUIRE(made.pixels == expected.pixels);
        }
    }
}
