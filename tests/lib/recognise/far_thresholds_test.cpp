#include "lib/recognise/far_thresholds.hpp"

#include <numeric>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/json/json.hpp"
#include "lib/recognise/recogniser_config.hpp"

using namespace fovea;

using Catch::Matchers::Contains;

namespace {

// 1, 2, ... count
std::vector<double> rising(std::size_t count) {
    std::vector<double> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 1.0);
    return numbers;
}

Json recogniser_of_two_regions() {
    return Json::parse(R"({"format": "fovea-recogniser", "version": 1, "name": "two",
        "face": {"width": 64, "height": 64, "left_eye": [16, 24], "right_eye": [48, 24]},
        "features": [{"points": 8, "radius": 1, "regions": {"columns": 2, "rows": 1}}]})");
}

}  // namespace

TEST_CASE("thresholds are the largest distances with at most that share of impostors", "[recognise][far]") {
    // A hundred of the impostors at 1, 2, ... 1,000 are within 100; a rate needs ten.
    const FarThresholds found = far_thresholds(rising(1000), {0.5, 5, 50.5, 2000}, "here");
    REQUIRE(found.points.size() == 4);
    CHECK(found.impostor_pairs == 1000);
    CHECK(found.genuine_pairs == 4);
    CHECK(found.points[0].far == 0.1);
    CHECK(found.points[0].distance == 100);
    CHECK(found.points[0].tar == 0.75);
    CHECK(found.points[1].distance == 50);
    CHECK(found.points[1].tar == 0.5);
    CHECK(found.points[2].distance == 20);
    CHECK(found.points[3].far == 0.01);
    CHECK(found.points[3].distance == 10);

    CHECK(threshold_at_far(found, 1)->distance == 100);
    CHECK(threshold_at_far(found, 0.05)->distance == 50);
    CHECK(threshold_at_far(found, 0.049)->distance == 20);
    CHECK_FALSE(threshold_at_far(found, 0.009).has_value());
}

TEST_CASE("impostors at one distance are accepted all or none", "[recognise][far]") {
    std::vector<double> impostors(1000, 9);
    std::fill_n(impostors.begin(), 50, 1);
    std::fill_n(impostors.begin() + 50, 60, 2);
    const FarThresholds found = far_thresholds(impostors, {}, "");
    // At 2 there are 110 of them, more than a tenth.
    REQUIRE_FALSE(found.empty());
    CHECK(found.points[0].far == 0.1);
    CHECK(found.points[0].distance == 1);
    CHECK(found.points[0].tar == 0);
    CHECK_THROWS_WITH(far_thresholds(std::vector<double>(1000, 3), {}, ""),
                      Contains("1000 pairs of two people"));
    CHECK_THROWS_AS(far_thresholds(rising(99), {}, ""), Error);
    CHECK(far_thresholds(rising(100), {}, "").points.size() == 1);
}

TEST_CASE("the rate of a search grows with the gallery", "[recognise][far]") {
    CHECK(search_far(0.5, 1) == Approx(0.5));
    CHECK(search_far(0.5, 2) == Approx(0.75));
    CHECK(pair_far(0.75, 2) == Approx(0.5));
    CHECK(pair_far(0.001, 200) == Approx(5.0025e-6).epsilon(1e-4));
    CHECK(search_far(pair_far(0.001, 100000), 100000) == Approx(0.001));
}

TEST_CASE("a recogniser's file carries thresholds of its own distance only", "[recognise][far]") {
    Json json = recogniser_of_two_regions();
    RecogniserConfig config = recogniser_config_from_json(json, ".");
    CHECK(config.thresholds.empty());
    CHECK_FALSE(recogniser_config_to_json(config).contains("thresholds"));
    config.thresholds = far_thresholds(rising(1000), {5}, "pairs of here");
    const Json with = recogniser_config_to_json(config);
    const RecogniserConfig read = recogniser_config_from_json(with, ".");
    REQUIRE(read.thresholds.points.size() == 4);
    CHECK(read.thresholds.points[3].distance == 10);
    CHECK(read.thresholds.origin == "pairs of here");
    CHECK(recogniser_config_to_json(read) == with);
    // The features have not changed; galleries stay comparable.
    CHECK(feature_fingerprint(read) == feature_fingerprint(recogniser_config_from_json(json, ".")));

    Json other = with;
    other["weights"] = {1, 2};
    CHECK_THROWS_WITH(recogniser_config_from_json(other, "."),
                      Contains("'thresholds': they were measured with other features"));
    const auto broken = [&](auto&& change, const char* message) {
        Json changed = with;
        change(changed["thresholds"]);
        CHECK_THROWS_WITH(recogniser_config_from_json(changed, "."), Contains(message));
    };
    broken([](Json& t) { t = 5; }, "'thresholds' must be an object");
    broken([](Json& t) { t.erase("fingerprint"); }, "'thresholds' has no \"fingerprint\"");
    broken([](Json& t) { t["points"] = Json::array(); }, "'thresholds.points'");
    broken([](Json& t) { t["points"][1]["far"] = 0.1; }, "'thresholds.points[1].far'");
    broken([](Json& t) { t["points"][0]["far"] = 1.5; }, "between 0 and 1");
    broken([](Json& t) { t["points"][1]["distance"] = 101; }, "'thresholds.points[1].distance'");
    broken([](Json& t) { t["points"][0]["tar"] = -1; }, "'thresholds.points[0].tar'");
    broken([](Json& t) { t["points"][0]["rate"] = 1; }, "rate");
}

TEST_CASE("recognisers that ship have thresholds, which galleries without them find", "[recognise][far]") {
    for (const char* name : {"lbp", "lbp-unweighted", "lbp-csu"}) {
        CAPTURE(name);
        const RecogniserConfig shipped = load_recogniser(name);
        REQUIRE_FALSE(shipped.thresholds.empty());
        CHECK(shipped.thresholds.impostor_pairs > 1'000'000);
        CHECK(shipped.thresholds.points.back().far <= 0.00001);
        CHECK(threshold_at_far(shipped.thresholds, 0.001)->far == 0.001);

        RecogniserConfig old = shipped;
        old.thresholds = {};
        CHECK(known_thresholds(old).points.size() == shipped.thresholds.points.size());
        old.distance = HistogramDistance::l1;
        CHECK(known_thresholds(old).empty());
        CHECK(load_unweighted_recogniser(name).thresholds.empty());
    }
}
