#include "lib/image/face_sharpness.hpp"

#include <catch2/catch.hpp>

using namespace fovea;

TEST_CASE("a box's pixels are those of the image, its edges rounded", "[image][quality]") {
    CHECK(pixels_of({1.4, 2.6, 3, 3}, {10, 10}) == Rect{1, 3, 3, 3});
    CHECK(pixels_of({-5, -5, 100, 7}, {10, 10}) == Rect{0, 0, 10, 2});
    for (const Box& none : {Box{10, 0, 5, 5}, Box{-5, 0, 5, 5}, Box{2, 2, 0.2, 5}, Box{2, 2, -3, 5}})
        CHECK_FALSE(pixels_of(none, {10, 10}).has_value());
}
