#include "lib/track/box_motion.hpp"

#include <cmath>

#include <catch2/catch.hpp>

using namespace fovea;

TEST_CASE("A box that was seen once is expected where it was", "[track]") {
    const BoxMotion motion(3, {10, 20, 40, 50});
    const Box box = motion.expected(8);
    CHECK(box.x == Approx(10));
    CHECK(box.y == Approx(20));
    CHECK(box.w == Approx(40));
    CHECK(box.h == Approx(50));
}

TEST_CASE("A distance is in standard deviations", "[track]") {
    // Both the place and its observation are known to 5 % of the size, 100 pixels: the variance is 50. A
    // shift by 10 pixels is 100 / 50 squared deviations in one of three coordinates.
    const BoxMotion motion(0, {0, 0, 100, 100});
    CHECK(motion.distance(0, {0, 0, 100, 100}) == Approx(0));
    CHECK(motion.distance(0, {10, 0, 100, 100}) == Approx(std::sqrt(2.0 / 3)));
    CHECK(motion.distance(0, {10, 10, 100, 100}) == Approx(std::sqrt(4.0 / 3)));
    // After a frame, the place is surer by nothing: the variances of 25, of the first speed, 900, and of a
    // quarter of an acceleration's, 100, add up with the observation's 25.
    CHECK(motion.distance(1, {10, 0, 100, 100}) == Approx(std::sqrt(100.0 / (25 + 900 + 25 + 25) / 3)));
}

TEST_CASE("A steady motion is learned, and fades without observations", "[track]") {
    BoxMotion motion(0, {0, 0, 40, 40});
    for (std::size_t frame = 1; frame <= 40; ++frame) motion.observe(frame, {5.0 * frame, 0, 40, 40});
    CHECK(motion.expected(41).x == Approx(205).margin(0.2));
    CHECK(motion.expected(42).x == Approx(200 + 5 * 1.9).margin(0.4));
    // 5 · (1 + 0.9 + 0.81 + …) = 50 at most.
    CHECK(motion.expected(400).x == Approx(250).margin(2));
    CHECK(motion.expected(41).w == Approx(40).margin(0.01));
}

TEST_CASE("A motion follows frames of another size", "[track]") {
    BoxMotion motion(0, {10, 20, 40, 40});
    motion.rescale(0.5, 0.5);
    const Box box = motion.expected(0);
    CHECK(box.centre().x == Approx(15));
    CHECK(box.centre().y == Approx(20));
    CHECK(box.w == Approx(20));
}

TEST_CASE("A motion that has parted from the camera goes on in the picture", "[track]") {
    // Camera and face move alike, 5 pixels a frame to the right: against the picture, the face stands still.
    BoxMotion motion(0, {0, 0, 40, 40});
    for (std::size_t frame = 1; frame <= 40; ++frame) motion.observe(frame, {5.0 * frame, 0, 40, 40});
    const Similarity right{{0, 0}, {5, 0}};
    motion.part_from_camera(40, right);
    CHECK(motion.expected(60).x == Approx(200).margin(1));
    // The camera goes on, and comes nearer: about (0, 0), everything doubles.
    motion.carry(right);
    motion.carry({{0, 0}, {0, 0}, 2, 0});
    const Box box = motion.expected(42);
    CHECK(box.centre().x == Approx(450).margin(2));
    CHECK(box.centre().y == Approx(40).margin(1));
    CHECK(box.w == Approx(80).margin(0.1));
    // A quarter of a turn about (0, 0), from x to y.
    motion.carry({{0, 0}, {0, 0}, 0, 1});
    CHECK(motion.expected(42).centre().x == Approx(-40).margin(1));
    CHECK(motion.expected(42).centre().y == Approx(450).margin(2));
}
