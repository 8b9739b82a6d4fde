#include "lib/recognise/face_template.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "lib/recognise/face_place.hpp"

using namespace fovea;

namespace {

constexpr CropGeometry dlib_chip{{150, 150}, {{47.0492, 46.099}, {99.9761, 46.099}}};

/// A face whose points lie near those of the template, at whole pixels, as dlib's are. Landmarks that no
/// point of the template is of lie elsewhere.
std::vector<Point> near_template(const FaceTemplate& form) {
    std::vector<Point> points(static_cast<std::size_t>(form.landmarks), Point{5, 5});
    for (const TemplatePoint& point : form.points) {
        points[static_cast<std::size_t>(point.first)] = {
            std::floor(150 * point.x + 0.5) + 40 + (point.first * 37) % 7 - 3,
            std::floor(150 * point.y + 0.5) + 20 + (point.first * 53) % 5 - 2};
    }
    return points;
}

void check_near(const CropPoint& point, double x, double y) {
    CHECK(point.x == Approx(x).margin(0.01));
    CHECK(point.y == Approx(y).margin(0.01));
}

}  // namespace

TEST_CASE("the template of dlib's chips: the eyes of a chip lie where dlib 19.24 takes them from",
          "[recognise]") {
    const std::span<const FaceTemplate> templates = face_templates("dlib");
    REQUIRE(templates.size() == 2);
    // Values of get_face_chip_details(shape, 150, 0.25) and the inverse of get_mapping_to_chip(), which takes
    // the middles of the outer pixels for the edges of the chip: a hundredth of a pixel here.
    const std::optional<CropEyes> of_68 = template_eyes(templates, dlib_chip, near_template(templates[0]));
    REQUIRE(of_68);
    check_near(of_68->left, 87.549422949, 66.711280304);
    check_near(of_68->right, 140.355916404, 66.853354318);
    const std::optional<CropEyes> of_5 = template_eyes(templates, dlib_chip, near_template(templates[1]));
    REQUIRE(of_5);
    check_near(of_5->left, 88.200615166, 66.822246385);
    check_near(of_5->right, 139.048764741, 66.944342535);
    CHECK_FALSE(template_eyes(templates, dlib_chip, std::vector<Point>(21)));
}

TEST_CASE("a template that fits exactly is carried exactly", "[recognise]") {
    // ArcFace's points, turned by a right angle, doubled, and moved by (10, 300).
    const CropGeometry crop{{112, 112}, {{38.2946, 51.6963}, {73.5318, 51.5014}}};
    std::vector<Point> landmarks(68, Point{1e6, 1e6});
    const auto place = [&](int first, int count, double x, double y) {
        for (int i = first; i < first + count; ++i)
            landmarks[static_cast<std::size_t>(i)] = {10 - 2 * y, 300 + 2 * x};
    };
    place(36, 6, 38.2946, 51.6963);
    place(42, 6, 73.5318, 51.5014);
    place(30, 1, 56.0252, 71.7366);
    place(48, 1, 41.5493, 92.3655);
    place(54, 1, 70.7299, 92.2041);
    RecogniserConfig recogniser;
    recogniser.geometry = crop;
    recogniser.alignment = FaceAlignment::arcface;
    const std::optional<CropEyes> eyes = eyes_for(recogniser, landmarks, {});
    REQUIRE(eyes);
    CHECK(eyes->left.x == Approx(10 - 2 * 51.6963));
    CHECK(eyes->left.y == Approx(300 + 2 * 38.2946));
    CHECK(eyes->right.x == Approx(10 - 2 * 51.5014));
    CHECK(eyes->right.y == Approx(300 + 2 * 73.5318));
    CHECK_FALSE(eyes_for(recogniser, std::span(landmarks).first(5), {}));
    CHECK(face_templates("eyes").empty());
}
