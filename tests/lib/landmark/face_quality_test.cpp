#include "lib/landmark/face_quality.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "lib/image/face_sharpness.hpp"
#include "lib/image/formats/image.hpp"
#include "tests/support/images.hpp"

using namespace fovea;

namespace {

/// A face whose eyes are at (30, 40) and (70, 40), turned about (50, 40).
std::vector<Point> face_with_nose(double right_of_middle, double cosine = 1, double sine = 0) {
    std::vector<Point> points(68, {50, 80});
    for (std::size_t i = 36; i < 42; ++i) points[i] = {30, 40};
    for (std::size_t i = 42; i < 48; ++i) points[i] = {70, 40};
    points[30] = {50 + right_of_middle, 60};
    for (Point& point : points) {
        const double x = point.x - 50, y = point.y - 40;
        point = {50 + cosine * x - sine * y, 40 + sine * x + cosine * y};
    }
    return points;
}

}  // namespace

TEST_CASE("the nose's place between the eyes tells how far a head is turned", "[landmark][quality]") {
    CHECK(yaw_of_landmarks(face_with_nose(0)) == Approx(0).margin(1e-9));
    // The nose is 1.15 times the tangent of the half distance of 20 pixels away.
    CHECK(yaw_of_landmarks(face_with_nose(23)) == Approx(45));
    CHECK(yaw_of_landmarks(face_with_nose(-23)) == Approx(-45));
    CHECK(yaw_of_landmarks(face_with_nose(23 / std::sqrt(3.0))) == Approx(30));
    // A tilted head is turned as far.
    CHECK(yaw_of_landmarks(face_with_nose(23, 0.6, 0.8)) == Approx(45));
    CHECK_FALSE(yaw_of_landmarks(std::vector<Point>(68, {1, 1})).has_value());
    CHECK_FALSE(yaw_of_landmarks(std::vector<Point>(5, {1, 1})).has_value());
    CHECK_FALSE(yaw_of_landmarks({}).has_value());
}

TEST_CASE("faces of a batch are measured, each in its image", "[landmark][quality]") {
    const GreyImage sharp = test::noise(200, 150, 1), smooth = test::smooth_noise(200, 150, 6, 1);
    const std::vector<ImageView<const std::uint8_t>> views{sharp.view(), {}, smooth.view()};
    const Box box{20.2, 10.4, 100, 90}, outside{-50, -50, 20, 20};
    std::vector<std::vector<Detection>> faces(3);
    faces[0] = {{box, 1}, {outside, 1}};
    faces[2] = {{box, 1}};
    faces[2][0].details.edit().landmarks = face_with_nose(5);
    const Device cpu = Device::cpu();
    FaceMeter meter(cpu);
    meter.measure(views, faces);
    CHECK(faces[0][0].details->sharpness == std::round(10 * *face_sharpness(sharp.view(), box)) / 10);
    CHECK(faces[2][0].details->sharpness == std::round(10 * *face_sharpness(smooth.view(), box)) / 10);
    CHECK(*faces[0][0].details->sharpness > 10 * *faces[2][0].details->sharpness);
    CHECK_FALSE(faces[0][1].details->sharpness.has_value());
    CHECK_FALSE(faces[0][0].details->yaw.has_value());
    CHECK(faces[2][0].details->yaw == 12.3);  // atan(5 / 23)
    // Other faces later, and more of them.
    std::vector<std::vector<Detection>> more(3, std::vector<Detection>(50, Detection{{3, 4, 50, 60}, 1}));
    more[1].clear();
    meter.measure(views, more);
    for (const Detection& face : more[2])
        CHECK(face.details->sharpness == std::round(10 * *face_sharpness(smooth.view(), face.box)) / 10);
}
