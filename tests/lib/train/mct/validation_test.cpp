#include "lib/train/mct/validation.hpp"

#include <catch2/catch.hpp>

#include "lib/json/json.hpp"
#include "tests/lib/detect/mct_models.hpp"
#include "tests/lib/train/mct/synthetic_faces.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

GreyImage spotted(int x, int y) {
    GreyImage image{100, 80, std::vector<std::uint8_t>(8000, 50)};
    for (int v = y; v < y + 6; ++v) {
        for (int u = x; u < x + 6; ++u) pixel_of(image, u, v) = 200;
    }
    return image;
}

bool rises(const std::vector<ConfidenceKnot>& knots) {
    for (std::size_t i = 0; i < knots.size(); ++i) {
        if (knots[i].margin <= 0 || knots[i].odds <= 0) return false;
        if (i > 0 && (knots[i].margin <= knots[i - 1].margin || knots[i].odds <= knots[i - 1].odds))
            return false;
    }
    return !knots.empty();
}

// A curve of single detections by falling score; true for a hit.
ValidationCurve curve_of(const std::vector<std::pair<double, bool>>& detections) {
    ValidationCurve curve;
    for (const auto& [score, hit] : detections) {
        ValidationPoint point = curve.points.empty() ? ValidationPoint{} : curve.points.back();
        point.threshold = score;
        ++(hit ? point.true_positives : point.false_positives);
        curve.points.push_back(point);
    }
    curve.faces = 100;
    return curve;
}

}  // namespace

TEST_CASE("hits are counted in portraits, false positives in backgrounds alone", "[train][validation]") {
    const MctDetector detector(spot_model());
    // The face's box of the model is half a window about the spot: 12 of 24 level pixels for one of 4.
    const Box face{43 - 9, 33 - 9, 18, 18};
    std::vector<ValidationImage> images{{spotted(40, 30), {face}}, {spotted(60, 40), {}}};
    images.push_back({spotted(40, 30), {{5, 5, 18, 18}}});  // found where no face is annotated
    images.push_back({GreyImage{60, 60, std::vector<std::uint8_t>(3600, 50)}, {face}});
    std::vector<std::size_t> done;
    const ValidationCurve curve =
        validate_model(detector, images, [&](std::size_t images_done, std::size_t all) {
            CHECK(all == images.size());
            done.push_back(images_done);
        });
    CHECK(done == std::vector<std::size_t>{4});
    CHECK(curve.faces == 3);
    CHECK(curve.images == 3);
    CHECK(curve.backgrounds == 1);
    REQUIRE(!curve.points.empty());
    CHECK(curve.points.back().true_positives == 1);
    CHECK(curve.points.back().false_positives >= 1);
    for (std::size_t i = 1; i < curve.points.size(); ++i) {
        CHECK(curve.points[i].threshold < curve.points[i - 1].threshold);
    }
    CHECK(curve.rate_at(1000) == Approx(1.0 / 3));
    const ValidationCurve none = validate_model(detector, {});
    CHECK(none.points.empty());
    CHECK(none.rate_at(10) == 0);
}

TEST_CASE("the rate at a number of false positives is the best within it", "[train][validation]") {
    const ValidationCurve curve = curve_of({{9, true}, {8, false}, {7, true}, {6, true}, {5, false}});
    CHECK(curve.rate_at(0) == Approx(0.01));
    CHECK(curve.rate_at(1) == Approx(0.03));
    CHECK(curve.rate_at(2) == Approx(0.03));
    const Json json = validation_to_json(curve);
    CHECK(json["faces"] == 100);
    CHECK(json["rates"][1] == Json{{"false_positives", 1}, {"detection_rate", 0.03}});
}

TEST_CASE("the odds of a range are hits over false positives, half of one added", "[train][validation]") {
    // 24 detections: ranges of two.
    std::vector<std::pair<double, bool>> detections;
    for (int i = 24; i > 0; --i) detections.push_back({10.0 * i, i > 12});
    const auto knots = calibrate(curve_of(detections));
    REQUIRE(rises(knots));
    // False positives alone: ranges of equal odds are pooled, which lowers them, so that the next two are
    // not; eight make 0.5 / 8.5, four 0.5 / 4.5. Hits alone: each range joins those below, whose odds are
    // higher.
    REQUIRE(knots.size() == 3);
    CHECK(knots[0].margin == Approx(45));
    CHECK(knots[0].odds == Approx(0.5 / 8.5));
    CHECK(knots[1].margin == Approx(105));
    CHECK(knots[1].odds == Approx(0.5 / 4.5));
    CHECK(knots[2].margin == Approx(185));
    CHECK(knots[2].odds == Approx(25));
}

TEST_CASE("odds rise strictly whatever the curve", "[train][validation]") {
    CHECK(calibrate({}) == std::vector<ConfidenceKnot>{{1, 1}});
    CHECK(rises(calibrate(curve_of({{3, true}}))));
    CHECK(rises(calibrate(curve_of({{3, false}}))));
    CHECK(rises(calibrate(curve_of({{3, false}, {0, true}}))));
    CHECK(rises(calibrate(curve_of({{0, true}}))));  // nothing above margin 0 at all
    // Upside down: the higher, the worse. All is one range.
    std::vector<std::pair<double, bool>> falling;
    for (int i = 40; i > 0; --i) falling.push_back({double(i), i <= 20});
    CHECK(calibrate(curve_of(falling)).size() == 1);
    for (std::uint32_t seed = 1; seed <= 60; ++seed) {
        Dice dice(seed);
        std::vector<std::pair<double, bool>> detections;
        const int count = 1 + dice.below(200);
        for (int i = count; i > 0; --i) detections.push_back({i * 3.5, dice.below(count) < i});
        INFO("seed " << seed);
        const auto knots = calibrate(curve_of(detections));
        CHECK(rises(knots));
        CHECK(knots.size() <= 13);
    }
}
