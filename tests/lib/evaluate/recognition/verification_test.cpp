#include "lib/evaluate/recognition/verification.hpp"

#include <cmath>
#include <limits>
#include <random>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/evaluate/recognition/recognition_json.hpp"
#include "lib/evaluate/recognition/score_curve.hpp"
#include "lib/evaluate/statistics/normal_deviate.hpp"
#include "lib/json/json.hpp"
#include "tests/lib/evaluate/recognition/joined.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

constexpr double failed = std::numeric_limits<double>::quiet_NaN();

std::vector<VerificationPair> pairs_of(const std::vector<double>& genuine,
                                       const std::vector<double>& impostors) {
    std::vector<VerificationPair> pairs;
    for (const double score : genuine) pairs.push_back({score, true, 0});
    for (const double score : impostors) pairs.push_back({score, false, 0});
    return pairs;
}

// Pairs by falling score: g g i g i i i.
std::vector<VerificationPair> seven_pairs() {
    return pairs_of({0.9, 0.8, 0.4}, {0.7, 0.3, 0.2, 0.1});
}

double value(const VerificationEvaluation& evaluation, const std::string& key) {
    const std::optional<double>& found = evaluation.estimate(key).value;
    INFO(key);
    REQUIRE(found);
    return *found;
}

bool is_defined(const VerificationEvaluation& evaluation, const std::string& key) {
    return evaluation.estimate(key).value.has_value();
}

std::vector<VerificationPair> random_pairs(std::size_t count, std::uint32_t seed) {
    std::mt19937 generator(seed);
    std::vector<VerificationPair> pairs;
    for (std::size_t i = 0; i < count; ++i) {
        const bool same = generator() % 3 == 0;
        // Few values, so that ties are many.
        double score = static_cast<double>(generator() % 40 + (same ? 15 : 0)) / 8;
        if (generator() % 20 == 0) score = failed;
        pairs.push_back({score, same, static_cast<std::int32_t>(generator() % 4)});
    }
    return pairs;
}

}  // namespace

TEST_CASE("the numbers of seven pairs are those counted by hand", "[evaluate][verification]") {
    VerificationOptions options;
    options.threshold = 0.4;
    options.threshold_origin = "a test";
    const VerificationEvaluation e = evaluate_verification(seven_pairs(), options, "r");
    CHECK(e.pairs == 7);
    CHECK(e.genuine == 3);
    CHECK(e.impostors == 4);
    // 0.9 and 0.8 beat all four impostors, 0.4 three: 11 of 12.
    CHECK(value(e, "auc") == Approx(11.0 / 12));
    // (FMR, FNMR) from (1/4, 1/3) at 0.7 to (1/4, 0) at 0.4: they meet at 1/4.
    CHECK(value(e, "eer") == Approx(0.25));
    // The rates differ by 1/12 at 0.7 and by 1/4 at 0.4.
    CHECK(e.thresholds.at_eer == 0.7);
    // Means 0.7 and 0.325, variances 0.14 / 3 and 0.2075 / 4.
    CHECK(value(e, "d_prime") == Approx(0.375 / std::sqrt((0.14 / 3 + 0.2075 / 4) / 2)));
    CHECK(value(e, "best_accuracy") == Approx(6.0 / 7));  // at 0.8 or 0.4
    CHECK(value(e, "fmr_at_threshold") == 0.25);          // 0.7
    CHECK(value(e, "fnmr_at_threshold") == 0);
    CHECK(value(e, "hter_at_threshold") == 0.125);
    CHECK(value(e, "accuracy_at_threshold") == Approx(6.0 / 7));
    CHECK_FALSE(is_defined(e, "tar_at_far_0.1"));  // four impostors cannot show one in ten
    CHECK_FALSE(is_defined(e, "accuracy"));
    CHECK_THAT(joined(e.warnings), Contains("TAR at FAR 0.0001, 0.001, 0.01, 0.1 is undefined") &&
                                       Contains("4 impostor pairs") && Contains("one fold"));
    REQUIRE(e.curve.size() == 7);
    CHECK(e.curve[2].threshold == 0.7);
    CHECK(e.curve[2].genuine_accepted == 2);
    CHECK(e.curve[2].impostors_accepted == 1);
    REQUIRE(e.estimate("eer").ci95);
    CHECK((*e.estimate("eer").ci95)[0] <= 0.25);
    CHECK((*e.estimate("eer").ci95)[1] >= 0.25);
}

TEST_CASE("distances are accepted at or below a threshold", "[evaluate][verification]") {
    VerificationOptions options;
    options.distance = true;
    options.threshold = 0.5;
    // One less than each of the seven scores, doubled.
    const VerificationEvaluation e =
        evaluate_verification(pairs_of({0.25, 0.5, 1.5}, {0.75, 1.75, 2, 2.25}), options, "r");
    CHECK(value(e, "auc") == Approx(11.0 / 12));
    CHECK(value(e, "eer") == Approx(0.25));
    CHECK(e.thresholds.at_eer == 0.75);
    CHECK(value(e, "fmr_at_threshold") == 0);
    CHECK(value(e, "fnmr_at_threshold") == Approx(1.0 / 3));  // 0.5 itself is accepted
    CHECK(e.curve.front().threshold == 0.25);
    CHECK(e.histogram.from == 0.25);
    CHECK(e.histogram.to == 2.25);
    CHECK(verification_to_json(e)["scores"] == "distance");
}

TEST_CASE("TAR at a FAR is that of the loosest threshold that keeps to it", "[evaluate][verification]") {
    std::vector<double> impostors;
    for (int i = 1; i <= 20; ++i) impostors.push_back(i);
    // At 19.5 one impostor (20) is accepted, at 19 two, which is a tenth of 20; at 18 three.
    const VerificationEvaluation e = evaluate_verification(
        pairs_of({21, 22, 23, 24, 25, 19.5, 19.5, 19.5, 0.5, 0.25}, impostors), {}, "r");
    CHECK(value(e, "tar_at_far_0.1") == 0.8);
    CHECK(e.thresholds.at_far[3] == 19.0);  // of FAR 0.1, the last of the rising list
    CHECK_FALSE(is_defined(e, "tar_at_far_0.01"));
    CHECK_FALSE(e.thresholds.at_far[2]);
    const Json json = verification_to_json(e);
    CHECK(json["threshold_at_far_0.1"] == 19.0);
    CHECK_FALSE(json.contains("threshold_at_far_0.01"));
    CHECK_FALSE(json.contains("tar_at_far_0.01"));
    CHECK(json["tar_at_far_0.1_ci95"].size() == 2);
}

TEST_CASE("with equal scores nothing can be told apart", "[evaluate][verification]") {
    const VerificationEvaluation e =
        evaluate_verification(pairs_of({1, 1}, std::vector<double>(10, 1.0)), {}, "r");
    CHECK(value(e, "auc") == 0.5);
    CHECK(value(e, "eer") == 0.5);           // halfway from (0, 1) to (1, 0)
    CHECK(value(e, "tar_at_far_0.1") == 0);  // the only threshold accepts all ten
    CHECK_FALSE(e.thresholds.at_far[3]);     // so only one above all scores keeps to it
    CHECK(e.thresholds.at_eer == 1.0);
    CHECK_FALSE(is_defined(e, "d_prime"));  // no variance
    CHECK(value(e, "best_accuracy") == Approx(10.0 / 12));
    CHECK_THAT(joined(e.warnings), Contains("All scores are equal"));
}

TEST_CASE("failures to enrol count as rejected", "[evaluate][verification]") {
    std::vector<VerificationPair> pairs = seven_pairs();
    pairs.push_back({failed, true, 0});
    const VerificationEvaluation e = evaluate_verification(pairs, {}, "r");
    CHECK(e.genuine_failed == 1);
    CHECK(e.impostors_failed == 0);
    CHECK(value(e, "auc") == Approx(11.0 / 16));  // it loses against all four
    CHECK(value(e, "eer") == 0.25);               // at 0.4 the rates are 1/4 and 1/4
    CHECK(e.thresholds.at_eer == 0.4);
    CHECK_THAT(joined(e.warnings), Contains("1 pair without score (1 genuine, 0 impostor)"));

    // FNMR stays at 1/2 and FMR at 1/4: they never meet.
    const VerificationEvaluation apart =
        evaluate_verification(pairs_of({0.9, failed}, {0.1, failed, failed, failed}), {}, "r");
    CHECK_FALSE(is_defined(apart, "eer"));
    CHECK_THAT(joined(apart.warnings), Contains("equal error rate is undefined"));
    // 0.9 beats all 4; the failed one ties with 3 and loses against 1: (4 + 1.5) / 8.
    CHECK(value(apart, "auc") == Approx(5.5 / 8));

    const VerificationEvaluation none = evaluate_verification(pairs_of({failed}, {failed}), {}, "r");
    CHECK(none.curve.empty());
    CHECK(value(none, "auc") == 0.5);
    CHECK(value(none, "best_accuracy") == 0.5);
}

TEST_CASE("without genuine or impostor pairs rates are undefined, not zero", "[evaluate][verification]") {
    VerificationOptions options;
    options.threshold = 0.5;
    const VerificationEvaluation genuine = evaluate_verification(pairs_of({0.9, 0.1}, {}), options, "r");
    for (const char* key :
         {"eer", "auc", "d_prime", "tar_at_far_0.1", "fmr_at_threshold", "hter_at_threshold"}) {
        CAPTURE(key);
        CHECK_FALSE(is_defined(genuine, key));
    }
    CHECK(value(genuine, "fnmr_at_threshold") == 0.5);
    CHECK_THAT(joined(genuine.warnings), Contains("no impostor pair"));
    const VerificationEvaluation impostors = evaluate_verification(pairs_of({}, {0.9, 0.1}), options, "r");
    CHECK_FALSE(is_defined(impostors, "fnmr_at_threshold"));
    CHECK(value(impostors, "fmr_at_threshold") == 0.5);
    CHECK_THAT(joined(impostors.warnings), Contains("no genuine pair"));
    CHECK_THROWS_WITH(evaluate_verification({}, {}, "r"), Contains("no pair"));
}

TEST_CASE("every fold is judged at the best threshold of the others", "[evaluate][verification]") {
    // Fold 0 is judged at 0.6 (best of 1 and 2): right, right. Fold 1 at 0.7: 0.6 is rejected wrongly. Fold 2
    // at 0.6.
    std::vector<VerificationPair> pairs{{0.9, true, 0},  {0.5, false, 0}, {0.6, true, 1},
                                        {0.1, false, 1}, {0.7, true, 2},  {0.3, false, 2}};
    const VerificationEvaluation e = evaluate_verification(pairs, {}, "r");
    REQUIRE(e.folds.size() == 3);
    CHECK(e.folds[0].threshold == 0.6);
    CHECK(e.folds[1].threshold == 0.7);
    CHECK(e.folds[2].threshold == 0.6);
    CHECK(e.folds[1].accuracy == 0.5);
    CHECK(value(e, "accuracy") == Approx(5.0 / 6));
    // Deviations 1/6, -1/3, 1/6: (1 + 4 + 1) / 36 / 2 = 1/12.
    CHECK(value(e, "accuracy_std") == Approx(std::sqrt(1.0 / 12)));
    CHECK(value(e, "accuracy_standard_error") == Approx(1.0 / 6));

    // On folds 0 and 2 (g 0.9, 0.4; i 0.5, 0.3), 0.9 and 0.4 both judge three pairs rightly: the strictest is
    // taken.
    pairs = {{0.9, true, 0},  {0.5, false, 0}, {0.6, true, 1},
             {0.1, false, 1}, {0.4, true, 2},  {0.3, false, 2}};
    const VerificationEvaluation tied = evaluate_verification(pairs, {}, "r");
    CHECK(tied.folds[1].threshold == 0.9);
    CHECK(tied.folds[1].accuracy == 0.5);

    // For a fold whose others hold only impostors, rejecting all is best.
    const VerificationEvaluation strict = evaluate_verification({{0.9, true, 5}, {0.5, false, 7}}, {}, "r");
    CHECK_FALSE(strict.folds[0].threshold);
    CHECK(strict.folds[0].fold == 5);
    CHECK(strict.folds[0].accuracy == 0);
}

TEST_CASE("weights mean as many copies of a pair", "[evaluate][verification]") {
    const std::vector<VerificationPair> pairs = random_pairs(300, 7);
    std::mt19937 generator(3);
    std::vector<std::uint16_t> weights;
    std::vector<VerificationPair> copies;
    for (VerificationPair pair : pairs) {
        weights.push_back(static_cast<std::uint16_t>(generator() % 4));
        if (!std::isfinite(pair.score)) pair.score = -std::numeric_limits<double>::infinity();
        copies.insert(copies.end(), weights.back(), pair);
    }
    std::vector<VerificationPair> enrolled = pairs;
    for (VerificationPair& pair : enrolled) {
        if (!std::isfinite(pair.score)) pair.score = -std::numeric_limits<double>::infinity();
    }
    const VerificationCurve weighted(enrolled, 3.0);
    const VerificationCurve copied(copies, 3.0);
    std::vector<double> a(weighted.quantities().size());
    std::vector<double> b(copied.quantities().size());
    weighted.evaluate(weights, a);
    copied.evaluate(std::vector<std::uint16_t>(copies.size(), 1), b);
    for (std::size_t i = 0; i < weighted.first_band(); ++i) {
        CAPTURE(weighted.quantities()[i].key);
        CHECK(weighted.quantities()[i].key == copied.quantities()[i].key);
        if (weighted.quantities()[i].key.starts_with("tar_at_far_0.0"))
            continue;  // defined by the set's own size
        CHECK(std::isfinite(a[i]));
        CHECK(a[i] == Approx(b[i]).margin(1e-12));
    }
}

TEST_CASE("millions of pairs are resampled in groups with the same spread", "[evaluate][verification]") {
    // A fifth of 150,000 genuine pairs is rejected: the standard error is sqrt(0.2 * 0.8 / 150000) = 0.00103.
    std::vector<VerificationPair> pairs;
    for (int i = 0; i < 150000; ++i) pairs.push_back({i % 5 == 0 ? 0.0 : 1.0, true, 0});
    for (int i = 0; i < 50000; ++i) pairs.push_back({-1, false, 0});
    VerificationOptions options;
    options.threshold = 0.5;
    options.bootstrap_resamples = 400;
    const VerificationEvaluation e = evaluate_verification(pairs, options, "r");
    CHECK(e.grouped_units);
    CHECK(value(e, "fnmr_at_threshold") == Approx(0.2));
    const Interval interval = *e.estimate("fnmr_at_threshold").ci95;
    CHECK((interval[1] - interval[0]) / (2 * 1.96) == Approx(0.00103).epsilon(0.15));
    CHECK_THAT(joined(e.warnings), Contains("groups of pairs"));
}

TEST_CASE("rates just reached are reached, whatever the rounding", "[evaluate][verification]") {
    CHECK(within_rate(3, 30, 0.1));
    CHECK(within_rate(7, 700, 0.01));
    CHECK_FALSE(within_rate(4, 30, 0.1));
    CHECK(within_rate(0, 5, 0.1));
    const std::vector<double> grid = false_rate_grid(100);
    CHECK(grid.front() == Approx(0.01));
    CHECK(grid.back() == 1);
    CHECK(grid.size() == 17);  // two decades of eight, and 1
    CHECK(false_rate_grid(0).empty());
}

TEST_CASE("normal deviates are those of the tables", "[evaluate][verification]") {
    CHECK(normal_deviate(0.5) == Approx(0).margin(1e-12));
    CHECK(normal_deviate(0.975) == Approx(1.959963985).epsilon(1e-9));
    CHECK(normal_deviate(0.001) == Approx(-3.090232306).epsilon(1e-9));
    CHECK(normal_deviate(0.02) == Approx(-2.053748911).epsilon(1e-9));
}
