#include "tests/lab/boxes/box_jitter.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include <catch2/catch.hpp>

#include "tests/lib/evaluate/landmarks/landmark_cases.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

const Box box{100, 50, 40, 20};

std::vector<JitteredBox> of_level(const std::vector<JitteredBox>& boxes, std::size_t level) {
    std::vector<JitteredBox> chosen;
    for (const JitteredBox& jittered : boxes) {
        if (jittered.level == level) chosen.push_back(jittered);
    }
    return chosen;
}

}  // namespace

TEST_CASE("boxes are moved by a share of their size and resized about their centre", "[lab][landmarks]") {
    BoxJitterOptions options;
    options.shifts = {0, 0.1, 0.2};
    options.scales = {0.5, 1, 1.5};
    options.draws = 4;
    const std::vector<JitteredBox> boxes = jittered_boxes(box, options, 7);
    REQUIRE(boxes.size() == 1 + 4 + 4 + 3);
    CHECK(of_level(boxes, 0).at(0).box == box);
    for (const std::size_t level : {1u, 2u}) {
        const std::vector<JitteredBox> moved = of_level(boxes, level);
        REQUIRE(moved.size() == 4);
        for (const JitteredBox& jittered : moved) {
            CHECK(jittered.box.w == 40);
            CHECK(jittered.box.h == 20);
            // In units of the box: a step of the shift's length.
            const double across = (jittered.box.x - 100) / 40;
            const double down = (jittered.box.y - 50) / 20;
            CHECK(std::hypot(across, down) == Approx(options.shifts[level]));
        }
    }
    // The directions of both shifts are the same.
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(2 * (of_level(boxes, 1)[i].box.x - 100) == Approx(of_level(boxes, 2)[i].box.x - 100));
    }
    CHECK(of_level(boxes, 3).at(0).box == Box{110, 55, 20, 10});
    CHECK(of_level(boxes, 4).at(0).box == box);
    CHECK(of_level(boxes, 5).at(0).box == Box{90, 45, 60, 30});
}

TEST_CASE("directions follow from seed and face, and go everywhere", "[lab][landmarks]") {
    BoxJitterOptions options;
    options.shifts = {1};
    options.scales = {};
    options.draws = 2000;
    const Box unit{0, 0, 1, 1};
    const std::vector<JitteredBox> boxes = jittered_boxes(unit, options, 0);
    double x = 0, y = 0;
    int quadrants[4] = {};
    for (const JitteredBox& jittered : boxes) {
        x += jittered.box.x / 2000;
        y += jittered.box.y / 2000;
        ++quadrants[(jittered.box.x > 0 ? 1 : 0) + (jittered.box.y > 0 ? 2 : 0)];
    }
    // A mean of 2000 uniform directions has a standard deviation of sqrt(1 / 2 / 2000) = 0.016 in each
    // coordinate.
    CHECK(std::abs(x) < 0.07);
    CHECK(std::abs(y) < 0.07);
    for (const int count : quadrants) CHECK(std::abs(count - 500) < 100);

    const auto same = [&](std::uint64_t seed, std::size_t face) {
        BoxJitterOptions other = options;
        other.seed = seed;
        return jittered_boxes(unit, other, face)[0].box == boxes[0].box;
    };
    CHECK(same(1, 0));
    CHECK_FALSE(same(2, 0));
    CHECK_FALSE(same(1, 1));
}

TEST_CASE("the numbers of every level, counted by hand", "[lab][landmarks]") {
    BoxJitterOptions options;
    options.shifts = {0, 0.05};
    options.scales = {0.9, 1};
    const double infinite = std::numeric_limits<double>::infinity();
    const std::vector<std::vector<UnitError>> errors{{{0.02, 0}, {0.04, 1}},
                                                     {{0.03, 0}, {0.05, 0}, {0.10, 1}, {0.06, 1}},
                                                     {{0.05, 0}, {infinite, 1}},
                                                     {{0.02, 0}, {0.04, 1}}};
    const BoxSensitivity found = box_sensitivity(options, LandmarkNormaliser::pupils, 2, errors, 100, 1);
    CHECK(found.faces == 2);
    REQUIRE(found.shifts.size() == 2);
    REQUIRE(found.scales.size() == 2);
    CHECK(found.shifts[0].boxes == 2);
    CHECK(value_of(found.shifts[0].numbers, "mean") == Approx(0.03));
    CHECK(value_of(found.shifts[0].numbers, "failure_rate") == 0);
    CHECK(found.shifts[1].amount == 0.05);
    CHECK(found.shifts[1].boxes == 4);
    CHECK(value_of(found.shifts[1].numbers, "mean") == Approx(0.06));
    CHECK(value_of(found.shifts[1].numbers, "median") == Approx(0.055));
    CHECK(value_of(found.shifts[1].numbers, "failure_rate") == 0.25);
    CHECK(value_of(found.scales[0].numbers, "mean") == Approx(0.05));
    CHECK(value_of(found.scales[0].numbers, "failure_rate") == 0.5);
    // Images are resampled: the means of the two are 0.04 and 0.08, and resamples lie between.
    const Number& mean = number_of_key(found.shifts[1].numbers, "mean");
    REQUIRE(mean.ci95.has_value());
    CHECK((*mean.ci95)[0] == Approx(0.04));
    CHECK((*mean.ci95)[1] == Approx(0.08));
    CHECK(sensitivity_sentence(found) ==
          "Boxes moved by 5 % of their size change the mean NME from 0.0300 to 0.0600 (+100 %) and failures "
          "above 0.08 "
          "from 0.0 % to 25.0 %; boxes resized to 90 % change the mean NME from 0.0300 to 0.0500 (+67 %).");
    CHECK_THROWS_AS(box_sensitivity(options, LandmarkNormaliser::pupils, 2, {{}}, 0, 1),
                    std::invalid_argument);
}

TEST_CASE("nothing measured has no numbers and no sentence", "[lab][landmarks]") {
    const BoxJitterOptions options;
    const BoxSensitivity found = box_sensitivity(
        options, LandmarkNormaliser::pupils, 0,
        std::vector<std::vector<UnitError>>(options.shifts.size() + options.scales.size()), 10, 1);
    CHECK_FALSE(number_of_key(found.shifts[0].numbers, "mean").value.has_value());
    CHECK(sensitivity_sentence(found).empty());
}
