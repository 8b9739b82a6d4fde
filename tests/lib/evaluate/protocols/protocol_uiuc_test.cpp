#include <cmath>

#include <catch2/catch.hpp>

#include "lib/evaluate/protocols/recall_precision.hpp"
#include "lib/evaluate/protocols/uiuc_rule.hpp"
#include "tests/lib/evaluate/protocols/protocol_cases.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

Face car(double x, double y, double width = 100) {
    return face(x, y, width, 0.4 * width);
}

Detection window(double score, double x, double y, double width = 100) {
    return detection(score, x, y, width, 0.4 * width);
}

std::map<std::string, double> numbers(const ProtocolSet& set, ProtocolMode mode = ProtocolMode::strict,
                                      bool is_multi_scale = false) {
    return numbers_of(*evaluate_uiuc(set.images(), mode, is_multi_scale));
}

/// The right and false detections of the first image.
std::pair<int, int> counts(const ProtocolSet& set, ProtocolMode mode, bool is_multi_scale = false) {
    const TraceSteps::Total total = evaluate_uiuc(set.images(), mode, is_multi_scale)->trace(0).steps.total();
    return {total.true_positives, total.false_positives};
}

using Counts = std::pair<int, int>;
constexpr auto strict = ProtocolMode::strict;
constexpr auto corrected = ProtocolMode::corrected;

}  // namespace

TEST_CASE("UIUC: the ellipse has half axes of 10 rows and 25 columns, its border included",
          "[evaluate][uiuc]") {
    for (const ProtocolMode mode : {strict, corrected}) {
        const UiucRule rule(false, mode);
        const Box truth{-10, 56, 100, 40};
        const auto is_hit = [&](double dx, double dy) {
            return rule.distance(truth, {truth.x + dx, truth.y + dy, 100, 40}) <= 1;
        };
        // On the border: 0.6² + 0.8² = 1.
        for (const auto& [dx, dy] : {std::pair{25, 0}, {0, 10}, {15, 8}, {20, 6}}) {
            CAPTURE(dx, dy);
            CHECK(is_hit(dx, dy));
            CHECK(is_hit(-dx, -dy));
            CHECK(rule.distance(truth, {truth.x + dx, truth.y + dy, 100, 40}) == 1);
        }
        for (const auto& [dx, dy] : {std::pair{26, 0}, {0, 11}, {16, 8}, {15, 9}, {10, 25}, {21, 6}}) {
            CAPTURE(dx, dy);
            CHECK_FALSE(is_hit(dx, dy));
            CHECK_FALSE(is_hit(-dx, dy));
        }
        // The size of the window has no effect in the single-scale set.
        CHECK(rule.distance(truth, {truth.x, truth.y, 300, 7}) == 0);
        CHECK(std::isinf(rule.distance(truth, {truth.x, truth.y, 0, 40})));
        CHECK(std::isinf(rule.distance({0, 0, 100, 0}, {0, 0, 100, 40})));
    }
}

TEST_CASE("UIUC: the program reads whole pixels", "[evaluate][uiuc]") {
    const Box truth{0, 0, 100, 40};
    // 25.4 columns round to 25, which is on the border; -25.5 to -25.
    CHECK(UiucRule(false, strict).distance(truth, {25.4, 0, 100, 40}) == 1);
    CHECK(UiucRule(false, strict).distance(truth, {-25.5, 0, 100, 40}) == 1);
    CHECK(UiucRule(false, strict).distance(truth, {25.5, 0, 100, 40}) > 1);
    CHECK(UiucRule(false, corrected).distance(truth, {25.4, 0, 100, 40}) == Approx(25.4 * 25.4 / 625));
}

TEST_CASE("UIUC: over all scales centres and widths are compared", "[evaluate][uiuc]") {
    // A car of width 80: half axes of 8 rows, 20 columns and 20 pixels of width.
    const Box truth{100, 50, 80, 32};
    const auto at_width = [&](double width) {
        return Box{140 - width / 2, 66 - 0.2 * width, width, 0.4 * width};
    };
    for (const ProtocolMode mode : {strict, corrected}) {
        const UiucRule rule(true, mode);
        CHECK(rule.distance(truth, at_width(100)) == Approx(1));
        CHECK(rule.distance(truth, at_width(60)) == Approx(1));
        CHECK(rule.distance(truth, at_width(110)) == Approx(2.25));
        // 12 / 20 in the columns and 16 / 20 in the width: 0.36 + 0.64.
        Box both = at_width(96);
        both.x += 12;
        CHECK(rule.distance(truth, both) == Approx(1));
        CHECK(rule.distance(truth, {120, 50, 80, 32}) == 1);
        CHECK(rule.distance(truth, {100, 58, 80, 32}) == 1);
        CHECK(rule.distance(truth, {100, 59, 80, 32}) > 1);
    }
    // Strict: windows of 81 and 80 have both their centre at 40 columns and 16 rows.
    CHECK(UiucRule(true, strict).place({0, 0, 81, 32.4}) == Point{40, 16});
    CHECK(UiucRule(true, strict).place({0.4, -0.6, 80.6, 99}) == Point{40, 15});
    CHECK(UiucRule(true, corrected).place({0, 0, 81, 32.4}) == Point{40.5, 16.2});
    CHECK(UiucRule(true, strict).distance({0, 0, 80, 32}, {0, 0, 81, 32.4}) == Approx(1 / 400.0));
    CHECK(UiucRule(true, corrected).distance({0, 0, 80, 32}, {0, 0, 81, 32.4}) ==
          Approx((0.5 * 0.5 + 1) / 400 + 0.04 / 64));
}

TEST_CASE("UIUC: a car takes one detection, others of it are false", "[evaluate][uiuc]") {
    ProtocolSet set;
    set.add({car(-10, 56)}, {window(0.9, -12, 55), window(0.8, -10, 56), window(0.7, 200, 56)});
    for (const ProtocolMode mode : {strict, corrected}) {
        CHECK(counts(set, mode) == Counts{1, 2});
        const ImageTrace trace = evaluate_uiuc(set.images(), mode, false)->trace(0);
        CHECK(trace.outcome.outcomes[2] == DetectionMatch::false_positive);
        CHECK(trace.outcome.face_match == std::vector<int>{mode == strict ? 0 : 1});
        CHECK(trace.face_iou[0] == Approx(mode == strict ? 98.0 * 39 / (8000 - 98 * 39) : 1));
        CHECK(evaluate_uiuc(set.images(), mode, false)->trace(0).steps.size() == 3);
    }
}

TEST_CASE("UIUC: the program gives the first car that is left, corrected most cars", "[evaluate][uiuc]") {
    // The first detection hits both cars, the second one only the first car.
    ProtocolSet set;
    set.add({car(0, 0), car(30, 0)}, {window(0.9, 20, 0), window(0.8, -10, 0)});
    CHECK(counts(set, strict) == Counts{1, 1});
    CHECK(counts(set, corrected) == Counts{2, 0});
    // In the other order of the file the program finds both, too.
    ProtocolSet other;
    other.add({car(30, 0), car(0, 0)}, {window(0.9, 20, 0), window(0.8, -10, 0)});
    CHECK(counts(other, strict) == Counts{2, 0});
    // The program takes detections with one score as they stand.
    ProtocolSet equal;
    equal.add({car(0, 0), car(30, 0)}, {window(0.5, -10, 0), window(0.5, 20, 0)});
    CHECK(counts(equal, strict) == Counts{2, 0});
}

TEST_CASE("UIUC: an ignored car is neither to be found nor a false detection", "[evaluate][uiuc]") {
    Face ignored = car(0, 0);
    ignored.ignore = true;
    ProtocolSet set;
    set.add({ignored, car(20, 0)}, {window(0.9, 10, 0), window(0.8, 0, 0), window(0.7, 0, 0)});
    for (const ProtocolMode mode : {strict, corrected}) {
        CHECK(counts(set, mode) == Counts{1, 0});
        CHECK(numbers(set, mode).at("max_recall") == 1);
        CHECK(evaluate_uiuc(set.images(), mode, false)->trace(0).outcome.outcomes[2] ==
              DetectionMatch::ignored);
    }
}

TEST_CASE("UIUC: recall and precision are equal at as many detections as cars", "[evaluate][uiuc]") {
    // Four cars; hits at 0.9, 0.8, 0.6 and false detections at 0.7, 0.5, 0.4.
    ProtocolSet set;
    set.add({car(0, 0), car(200, 0)}, {window(0.9, 0, 0), window(0.8, 200, 0), window(0.5, 0, 200)});
    set.add({car(0, 0), car(200, 0)}, {window(0.7, 0, 200), window(0.6, 0, 0), window(0.4, 200, 200)});
    auto found = numbers(set);
    CHECK(found.at("recall_at_eer") == 0.75);
    // F: 2/5, 4/6, 4/7, 6/8, 6/9, 6/10.
    CHECK(found.at("best_f") == 0.75);
    CHECK(found.at("recall_at_best_f") == 0.75);
    CHECK(found.at("precision_at_best_f") == 0.75);
    CHECK(found.at("max_recall") == 0.75);
    CHECK(found.at("precision_at_max_recall") == 0.5);
    // 0.6 and 0.5 in one: from (2/4, 2/3) to (3/4, 3/5). 1/2 + t/4 = 2/3 - t/15 at t = 10/19.
    set.detections[1][1].score = 0.5;
    CHECK(numbers(set).at("recall_at_eer") == Approx(0.5 + 10.0 / 19 / 4).epsilon(1e-15));
    CHECK(evaluate_uiuc(set.images(), strict, false)->warnings().empty());
    // F is 2 / 5 with the first detection alone, and 4 / 10 with all six: the highest threshold is told.
    ProtocolSet twice;
    twice.add({car(0, 0), car(200, 0), car(400, 0)}, {window(0.9, 0, 0)});
    twice.add({car(0, 0)}, {window(0.8, 0, 90), window(0.7, 0, 90), window(0.6, 0, 90), window(0.5, 0, 90),
                            window(0.4, 0, 0)});
    CHECK(numbers(twice).at("best_f") == 0.4);
    CHECK(numbers(twice).at("precision_at_best_f") == 1);
    CHECK(numbers(twice).at("recall_at_best_f") == 0.25);
    CHECK(numbers(twice).at("precision_at_max_recall") == Approx(1.0 / 3));
}

TEST_CASE("UIUC: what cannot be told is undefined", "[evaluate][uiuc]") {
    const auto is_undefined = [](const ProtocolSet& set, const char* key) {
        return std::isnan(numbers(set).at(key));
    };
    ProtocolSet few;
    few.add({car(0, 0), car(200, 0)}, {window(0.9, 0, 0)});
    CHECK(is_undefined(few, "recall_at_eer"));
    CHECK(numbers(few).at("best_f") == Approx(2.0 / 3));
    CHECK_THAT(evaluate_uiuc(few.images(), strict, false)->warnings().at(0), Contains("no recall at EER"));
    ProtocolSet at_once;
    at_once.add({car(0, 0)}, {window(1, 0, 0), window(1, 300, 0)});
    CHECK(is_undefined(at_once, "recall_at_eer"));
    ProtocolSet no_car;
    no_car.add({}, {window(1, 0, 0)});
    for (const char* key : {"recall_at_eer", "best_f", "recall_at_best_f", "max_recall"})
        CHECK(is_undefined(no_car, key));
    CHECK(numbers(no_car).at("precision_at_max_recall") == 0);
    CHECK(evaluate_uiuc(no_car.images(), strict, false)->warnings().empty());
    ProtocolSet nothing;
    nothing.add({car(0, 0)}, {});
    CHECK(numbers(nothing).at("best_f") == 0);
    CHECK(is_undefined(nothing, "precision_at_max_recall"));
    // The detections are as many as the cars, all false.
    ProtocolSet wrong;
    wrong.add({car(0, 0)}, {window(1, 300, 0)});
    CHECK(numbers(wrong).at("recall_at_eer") == 0);
    ProtocolSet wrong_first;
    wrong_first.add({car(0, 0), car(200, 0)},
                    {window(0.9, 300, 300), window(0.5, 0, 0), window(0.5, 200, 0)});
    CHECK(numbers(wrong_first).at("recall_at_eer") == 0);
}

TEST_CASE("UIUC's numbers of a resample are those of the images repeated", "[evaluate][uiuc]") {
    ProtocolSet set;
    set.add({car(0, 0), car(200, 0)}, {window(0.9, 0, 0), window(0.5, 0, 200), window(0.3, 200, 5)});
    set.add({car(10, 20)}, {window(0.8, 300, 0), window(0.7, 12, 18), window(0.1, 50, 90)});
    set.add({car(-5, 20), car(130, 20)}, {window(0.6, -3, 20), window(0.6, 260, 20), window(0.55, 135, 20)});
    for (const std::vector<std::uint16_t>& weights :
         {std::vector<std::uint16_t>{3, 0, 2}, {1, 1, 1}, {0, 0, 4}, {2, 5, 1}}) {
        for (const ProtocolMode mode : {strict, corrected}) {
            const std::vector<double> resampled =
                weighted_numbers(*evaluate_uiuc(set.images(), mode, false), weights);
            const ProtocolSet repeated = set.repeated(weights);
            const auto expected = evaluate_uiuc(repeated.images(), mode, false);
            const std::vector<double> whole =
                weighted_numbers(*expected, std::vector<std::uint16_t>(expected->units(), 1));
            CHECK(resampled == whole);
        }
    }
}
