#include "lib/evaluate/protocols/region_area.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include <catch2/catch.hpp>

using namespace fovea;

namespace {

constexpr double pi = std::numbers::pi;

std::pair<double, double> chord(const Ellipse& e, double x) {
    // The ellipse as a quadric: y between the roots at this x.
    const double c = std::cos(e.angle_rad);
    const double s = std::sin(e.angle_rad);
    const double a2 = e.major_radius * e.major_radius;
    const double b2 = e.minor_radius * e.minor_radius;
    const double dx = x - e.centre.x;
    const double p = s * s / a2 + c * c / b2;
    const double q = dx * c * s * (1 / a2 - 1 / b2);
    const double r = dx * dx * (c * c / a2 + s * s / b2) - 1;
    const double root = q * q - p * r;
    if (root <= 0) return {0, 0};
    return {e.centre.y + (-q - std::sqrt(root)) / p, e.centre.y + (-q + std::sqrt(root)) / p};
}

// The sum of 200,000 slices: good to about 1e-5.
double area_by_slices(const Ellipse& a, const Ellipse& b, const Box& box) {
    constexpr int slices = 200000;
    double sum = 0;
    for (int i = 0; i < slices; ++i) {
        const double x = box.x + box.w * (i + 0.5) / slices;
        const auto [a0, a1] = chord(a, x);
        const auto [b0, b1] = chord(b, x);
        sum += std::max(0.0, std::min({a1, b1, box.y + box.h}) - std::max({a0, b0, box.y}));
    }
    return sum * box.w / slices;
}

}  // namespace

TEST_CASE("Region area: circles and ellipses with known shares", "[evaluate][fddb]") {
    const Ellipse unit{{100, 200}, 1, 1, 0.3};
    CHECK(shared_area(unit, {}, {}) == Approx(pi).epsilon(1e-13));
    CHECK(shared_area(unit, {}, Box{100, 200, 5, 5}) == Approx(pi / 4).epsilon(1e-12));
    CHECK(shared_area(unit, {}, Box{90, 190, 50, 50}) == Approx(pi).epsilon(1e-12));
    CHECK(shared_area(unit, {}, Box{99.9, 199.9, 0.2, 0.2}) == Approx(0.04).epsilon(1e-12));  // within
    CHECK(shared_area(unit, {}, Box{101, 200, 5, 5}) == Approx(0).margin(1e-12));
    // A cap from x = 1/2 on: pi / 3 - sqrt(3) / 4.
    CHECK(shared_area(unit, {}, Box{100.5, 190, 5, 50}) == Approx(pi / 3 - std::sqrt(3) / 4).epsilon(1e-12));
    const Ellipse flat{{0, 0}, 2, 1, 0.7};
    CHECK(shared_area(flat, {}, {}) == Approx(2 * pi).epsilon(1e-13));
    CHECK(shared_area(flat, {}, Box{0, -9, 9, 18}) == Approx(pi).epsilon(1e-12));  // half of any ellipse
    CHECK(shared_area(flat, flat, {}) == Approx(2 * pi).epsilon(1e-11));
    CHECK(shared_area(flat, Ellipse{{0, 0}, 1, 2, 0.7 + pi / 2}, {}) ==
          Approx(2 * pi).epsilon(1e-11));  // the same
    CHECK(shared_area(flat, Ellipse{{0.1, 0.1}, 0.5, 0.2, 2}, {}) ==
          Approx(0.1 * pi).epsilon(1e-12));  // within
    CHECK(shared_area(flat, Ellipse{{9, 0}, 1, 1, 0}, {}) == 0);
    // The lens of two unit circles at distance 1: 2 pi / 3 - sqrt(3) / 2; its upper half.
    const Ellipse next{{101, 200}, 1, 1, 0};
    const double lens = 2 * pi / 3 - std::sqrt(3) / 2;
    CHECK(shared_area(unit, next, {}) == Approx(lens).epsilon(1e-11));
    CHECK(shared_area(unit, next, Box{90, 200, 50, 50}) == Approx(lens / 2).epsilon(1e-11));
    CHECK(shared_area(Ellipse{{0, 0}, 5, 0, 0}, {}, {}) == 0);
    CHECK(shared_area({}, {}, Box{1, 1, 2, 3}) == 6);
}

TEST_CASE("Region area: any ellipses and rectangles against slices", "[evaluate][fddb]") {
    std::mt19937 random(3);
    const auto number = [&](double low, double high) {
        return std::uniform_real_distribution<double>(low, high)(random);
    };
    for (int i = 0; i < 40; ++i) {
        const Ellipse a{{number(-1, 1), number(-1, 1)}, number(0.5, 4), number(0.5, 2), number(-4, 4)};
        const Ellipse b{{number(-2, 2), number(-2, 2)}, number(0.5, 4), number(0.5, 2), number(-4, 4)};
        const Box box{number(-4, 0), number(-4, 0), number(1, 6), number(1, 6)};
        INFO("case " << i);
        CHECK(shared_area(a, b, box) == Approx(area_by_slices(a, b, box)).margin(1e-4));
        CHECK(shared_area(a, b, box) == Approx(shared_area(b, a, box)).margin(1e-10));
        CHECK(shared_area(a, {}, box) == Approx(area_by_slices(a, a, box)).margin(1e-4));
    }
}

TEST_CASE("Region area: IoU of boxes, of an ellipse with its box, clipped", "[evaluate][fddb]") {
    const Region box{{0, 0, 10, 10}, {}};
    CHECK(region_iou(box, {{0, 0, 10, 5}, {}}, {}) == 0.5);
    // An upright ellipse in its enclosing box covers pi / 4 of it.
    const Region ellipse{{0, 0, 10, 20}, Ellipse{{5, 10}, 10, 5, pi / 2}};
    CHECK(region_iou(ellipse, {{0, 0, 10, 20}, {}}, {}) == Approx(pi / 4).epsilon(1e-12));
    // The left half of both outside the image changes nothing; a box of which only the inside shares does.
    const Region centred{{-5, 0, 10, 20}, Ellipse{{0, 10}, 10, 5, pi / 2}};
    CHECK(region_iou(centred, {{-5, 0, 10, 20}, {}}, ImageSize{100, 100}) == Approx(pi / 4).epsilon(1e-12));
    CHECK(region_iou({{-10, 0, 20, 10}, {}}, box, {}) == 0.5);
    CHECK(region_iou({{-10, 0, 20, 10}, {}}, box, ImageSize{100, 100}) == 1);
    CHECK(region_iou({{-30, 0, 20, 10}, {}}, {{-30, 0, 20, 10}, {}}, ImageSize{100, 100}) == 0);
}
