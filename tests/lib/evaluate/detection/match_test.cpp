#include "lib/evaluate/detection/match.hpp"

#include <limits>

#include <catch2/catch.hpp>

#include "tests/lib/evaluate/detection/evaluation_cases.hpp"

using fovea::Box;
using fovea::intersection_over_union;
using fovea::is_hit;

TEST_CASE("IoU of boxes", "[evaluate]") {
    const Box box{10, 20, 30, 40};
    CHECK(intersection_over_union(box, box) == 1.0);
    CHECK(intersection_over_union(box, {25, 20, 30, 40}) == 600.0 / 1800);
    CHECK(intersection_over_union(box, {20, 30, 10, 10}) == 100.0 / 1200);
    CHECK(intersection_over_union(box, {40, 20, 30, 40}) == 0);  // touching: half-open ranges share nothing
    CHECK(intersection_over_union(box, {10, 60, 30, 40}) == 0);
    CHECK(intersection_over_union({-0.5, -0.5, 1, 1}, {0, 0, 1, 1}) == Approx(0.25 / 1.75));
    CHECK(intersection_over_union(box, {10, 20, 0, 40}) == 0);
    CHECK(intersection_over_union(box, {40, 60, -30, -40}) == 0);
    CHECK(intersection_over_union({0, 0, 0, 0}, {0, 0, 0, 0}) == 0);
    CHECK(intersection_over_union({0, 0, 1e200, 1e200}, {0, 0, 1e200, 1e200}) == 0);
}

TEST_CASE("IoU of a box with itself is exactly 1", "[evaluate]") {
    for (int i = 1; i < 200; ++i) {
        // x + w - x differs from w in the last bit for many of these.
        const Box box{0.1 * i, 0.3 * i, 17.7 / i, 3.3 / i};
        REQUIRE(intersection_over_union(box, box) == 1);
    }
}

TEST_CASE("Rule iou: the threshold itself is a hit", "[evaluate]") {
    fovea::DetectionEvaluationOptions options;
    CHECK(is_hit({0, 0, 10, 10}, {0, 0, 10, 5}, options));
    CHECK_FALSE(is_hit({0, 0, 10, 10}, {0, 0, 10, 4.999}, options));
    // k of ten rows: every tenth is decided exactly, though most are no binary fractions.
    for (int k = 1; k <= 10; ++k) {
        options.iou_threshold = k / 10.0;
        CHECK(is_hit({0, 0, 10, 10}, {0, 0, 10, static_cast<double>(k)}, options));
        CHECK_FALSE(is_hit({0, 0, 10, 10}, {0, 0, 10, k - 1.0}, options));
    }
}

TEST_CASE("Rule mit_cmu: centre within 0.3 face widths, width within 50 %, limits included", "[evaluate]") {
    fovea::DetectionEvaluationOptions options;
    options.protocol = fovea::DetectionProtocol::mit_cmu;
    const Box face{100, 100, 20, 24};
    CHECK(is_hit(face, face, options));

    // 0.3 widths are 6 pixels, along the axes and in any direction (3.6² + 4.8² = 6²).
    CHECK(is_hit(face, {106, 100, 20, 24}, options));
    CHECK(is_hit(face, {94, 100, 20, 24}, options));
    CHECK(is_hit(face, {100, 94, 20, 24}, options));
    CHECK_FALSE(is_hit(face, {106.001, 100, 20, 24}, options));
    CHECK_FALSE(is_hit(face, {100, 107, 20, 24}, options));
    CHECK_FALSE(is_hit(face, {105, 105, 20, 24}, options));
    CHECK(is_hit(face, {104, 104, 20, 24}, options));
    const Box wide{0, 0, 100, 100};
    CHECK(is_hit(wide, {18, 24, 100, 100}, options));
    CHECK_FALSE(is_hit(wide, {18, 25, 100, 100}, options));

    // Width 10 to 30 about the same centre; the height is free.
    CHECK(is_hit(face, {105, 107, 10, 10}, options));
    CHECK_FALSE(is_hit(face, {105, 107, 9, 10}, options));
    CHECK(is_hit(face, {95, 97, 30, 30}, options));
    CHECK_FALSE(is_hit(face, {95, 97, 31, 30}, options));
    CHECK(is_hit(face, {100, 111, 20, 2}, options));

    // It is the face's width that counts: the smaller box as the face, the larger as the detection.
    CHECK_FALSE(is_hit({105, 107, 10, 10}, {100, 102, 20, 20}, options));

    // The limit is decided exactly even if 0.3 widths are no binary fraction: 0.3 · 30 = 9 and so on.
    for (int width = 10; width <= 400; width += 10) {
        const Box square{7, 3, static_cast<double>(width), static_cast<double>(width)};
        Box shifted = square;
        shifted.x += width * 3 / 10;
        CHECK(is_hit(square, shifted, options));
        shifted.x += 1;
        CHECK_FALSE(is_hit(square, shifted, options));
    }
}

TEST_CASE("Matching an image: what each further detection adds", "[evaluate]") {
    using fovea::DetectionMatch;
    const std::vector<fovea::Face> faces{fovea::test::face(0, 0, 10, 10),
                                         fovea::test::ignored_face(0, 20, 10, 10)};
    const fovea::DetectionEvaluationOptions options;
    fovea::ImageMatcher matcher(faces, options);
    CHECK(matcher.detection_of(0) == -1);
    CHECK(matcher.matched_iou(0) == 0);
    CHECK(matcher.add({0, 0, 10, 6}) == DetectionMatch::true_positive);
    CHECK(matcher.changed_faces() == std::vector<int>{0});
    CHECK(matcher.matched_iou(0) == 0.6);
    CHECK(matcher.add({0, 20, 10, 10}) == DetectionMatch::ignored);
    CHECK(matcher.add({0, 0, 10, 9}) ==
          DetectionMatch::false_positive);  // stands for the first, now left over
    CHECK(matcher.detection_of(0) == 2);
    CHECK(matcher.matched_iou(0) == 0.9);
    CHECK(matcher.outcome_of(0) == DetectionMatch::false_positive);
    CHECK(matcher.outcome_of(1) == DetectionMatch::ignored);
    CHECK(matcher.outcome_of(2) == DetectionMatch::true_positive);
    CHECK(matcher.add({90, 0, 10, 10}) == DetectionMatch::false_positive);
    CHECK(matcher.changed_faces().empty());
}
