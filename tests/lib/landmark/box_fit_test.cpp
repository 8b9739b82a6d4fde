#include "lib/landmark/box_fit.hpp"

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"

using namespace fovea;
using Catch::Matchers::Contains;

namespace {

const std::vector<Point> unit_square{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};

std::vector<Point> corners(double x, double y, double w, double h) {
    return {{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}};
}

Detection detection(Box box) {
    Detection found;
    found.box = box;
    return found;
}

// Landmarks 20 × 20 from (10, 20); boxes of 21 × 21 pixels that begin `k` pixels before them, k = 0, 1, ...
std::vector<BoxedFace> faces_further_and_further_left(int count) {
    std::vector<BoxedFace> faces;
    for (int k = 0; k < count; ++k) faces.push_back({{10.0 - k, 20, 21, 21}, corners(10, 20, 20, 20)});
    return faces;
}

}  // namespace

TEST_CASE("the fitted box is that of the scaled and moved shape", "[landmark][boxes]") {
    CHECK(fitted_box(unit_square, corners(10, 20, 20, 20)) == Box{10, 20, 20, 20});
    // Centre (20, 35); scale (4 · 10 + 4 · 15) / 8 = 12.5.
    CHECK(fitted_box(unit_square, corners(10, 20, 20, 30)) == Box{7.5, 22.5, 25, 25});
    // The shape is not turned, so that one that is turned by 60° fits at half its size.
    const double s = 10 * std::sqrt(3.0) / 2;
    const std::vector<Point> turned{{-5 + s, -5 - s}, {5 + s, -5 + s}, {5 - s, 5 + s}, {-5 - s, 5 - s}};
    const Box box = fitted_box(unit_square, turned);
    CHECK(box.x == Approx(-5));
    CHECK(box.w == Approx(10));
}

TEST_CASE("landmarks that no upright face has get no fitted box", "[landmark][boxes]") {
    CHECK(fitted_box(unit_square, std::vector<Point>(4, Point{7, 7})) == Box{});
    CHECK(fitted_box(std::vector<Point>(4, Point{1, 1}), corners(0, 0, 5, 5)) == Box{});
    CHECK(fitted_box(unit_square, std::vector<Point>{{1, 1}, {-1, 1}, {-1, -1}, {1, -1}}) == Box{});
}

TEST_CASE("a convention is the medians of the fitted boxes' edges", "[landmark][boxes]") {
    // Left edges k / 20: the median of 0 ... 10 is 5, of 0 ... 9 it is 4.5.
    const BoxConvention odd = fit_convention("odd", unit_square, faces_further_and_further_left(11));
    CHECK(odd.name == "odd");
    CHECK(odd.faces == 11);
    CHECK(odd.landmarks.left == Approx(0.25));
    CHECK(odd.landmarks.right == Approx(1.25));
    CHECK(odd.landmarks.top == Approx(0).margin(1e-12));
    CHECK(odd.landmarks.bottom == Approx(1));
    CHECK(odd.spread[0] == Approx(std::sqrt(10.0) / 20));
    CHECK(odd.spread[1] == Approx(0).margin(1e-12));
    const BoxConvention even = fit_convention("even", unit_square, faces_further_and_further_left(10));
    CHECK(even.landmarks.left == Approx(0.225));
    CHECK(even.landmarks.right == Approx(1.225));
}

TEST_CASE("a convention withstands a face taken for another and leaves out what cannot be fitted",
          "[landmark][boxes]") {
    std::vector<BoxedFace> faces = faces_further_and_further_left(11);
    faces[10].box.x = -5000;
    faces.push_back({{0, 0, 21, 21}, std::vector<Point>(4, Point{7, 7})});
    faces.push_back({{0, 0, 1, 21}, corners(10, 20, 20, 20)});
    const BoxConvention convention = fit_convention("mct", unit_square, faces);
    CHECK(convention.landmarks.left == Approx(0.25));
    CHECK(convention.faces == 11);
}

TEST_CASE("too few faces for a convention are an error that names the detector", "[landmark][boxes]") {
    CHECK_NOTHROW(fit_convention("mct", unit_square, faces_further_and_further_left(10)));
    try {
        fit_convention("mct", unit_square, faces_further_and_further_left(9));
        FAIL("nine faces are too few");
    } catch (const Error& error) {
        CHECK_THAT(error.what(), Contains("mct") && Contains("9 faces") && Contains("10"));
    }
    CHECK_THROWS_WITH(fit_convention("mct", unit_square, {}), Contains("0 faces"));
}

TEST_CASE("the detection of a face has the largest overlap, from 0.2 on", "[landmark][boxes]") {
    const std::vector<Point> face = corners(0, 0, 10, 10);
    const auto found = [&](const std::vector<Box>& boxes) {
        std::vector<Detection> detections;
        for (const Box& box : boxes) detections.push_back(detection(box));
        return detection_of_face(face, detections);
    };
    CHECK(found({}) == -1);
    CHECK(found({{0, 0, 10, 50}}) == 0);  // 100 of 500
    CHECK(found({{0, 0, 10, 51}}) == -1);
    CHECK(found({{20, 20, 10, 10}, {0, 0, 10, 20}, {0, 0, 10, 12}, {0, 0, 12, 10}}) == 2);
    CHECK(found({{0, 0, 10, 50}, {0, 0, 50, 10}}) == 0);
}
