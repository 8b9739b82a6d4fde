#include <cmath>
#include <limits>
#include <random>

#include <catch2/catch.hpp>
#include <tbb/global_control.h>

#include "lib/core/error.hpp"
#include "lib/evaluate/recognition/identification_evaluation.hpp"
#include "lib/evaluate/recognition/permutation.hpp"
#include "lib/evaluate/recognition/recognition_json.hpp"
#include "lib/json/json.hpp"
#include "tests/lib/evaluate/recognition/joined.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

constexpr double itself = std::numeric_limits<double>::quiet_NaN();

// Subjects A (two gallery images), B and C in the gallery; probes of A, B, C (not enrolled) and D (not
// there).
struct FourProbes {
    IdentificationSet set{{"a1", "a2", "b1", "c1"},
                          {"pa", "pb", "pc", "pd"},
                          {0, 0, 1, 2},
                          {0, 1, 2, 3},
                          4,
                          std::vector<std::optional<std::size_t>>(4)};
    SimilarityMatrix scores{4,
                            4,
                            {0.2, 0.9, 0.5, 0.9,  // A's best ties with C
                             0.6, 0.1, 0.5, 0.4,  // A before B
                             not_enrolled, not_enrolled, not_enrolled, not_enrolled, 0.3, 0.2, 0.55, 0.1}};
};

ProbeSearch mated_search(double score, std::uint32_t greater, std::uint32_t ties = 0) {
    ProbeSearch search;
    search.mated = true;
    search.mate_score = score;
    search.greater = greater;
    search.ties = ties;
    search.best_score = score;
    return search;
}

ProbeSearch unmated_search(double best) {
    ProbeSearch search;
    search.best_score = best;
    return search;
}

// One more image that is more alike to all than they are to each other.
SimilarityMatrix with_another_image(const SimilarityMatrix& matrix) {
    SimilarityMatrix larger{matrix.rows + 1, matrix.columns + 1, {}};
    for (std::size_t row = 0; row < larger.rows; ++row) {
        for (std::size_t column = 0; column < larger.columns; ++column) {
            const bool known = row < matrix.rows && column < matrix.columns;
            larger.values.push_back(known ? matrix.at(row, column) : 1.0);
        }
    }
    return larger;
}

double value(const Numbers& estimates, const std::string& key) {
    for (const Number& estimate : estimates) {
        if (estimate.quantity.key != key) continue;
        REQUIRE(estimate.value);
        return *estimate.value;
    }
    FAIL("no statistic " << key);
    return 0;
}

}  // namespace

TEST_CASE("the ranks of four probes are those counted by hand", "[evaluate][identification]") {
    const FourProbes f;
    const IdentificationEvaluation e = evaluate_identification(f.set, f.scores, {}, "r");
    CHECK(e.gallery_images == 4);
    CHECK(e.gallery_subjects == 3);
    CHECK(e.mated == 3);
    CHECK(e.probes_failed == 1);
    CHECK(e.gallery_failed == 0);
    CHECK(e.mated_not_found == 1);
    CHECK(e.tied == 1);
    // pa: first with probability 1/2; pb: second; pc: never.
    CHECK(value(e.estimates, "rank1") == Approx(0.5 / 3));
    CHECK(value(e.estimates, "rank1_optimistic") == Approx(1.0 / 3));
    CHECK(value(e.estimates, "rank1_pessimistic") == 0);
    REQUIRE(e.cmc.size() == 3);
    CHECK(e.cmc[1].rate == Approx(2.0 / 3));
    CHECK(e.cmc[2].rate == Approx(2.0 / 3));  // not even the last rank finds who was not enrolled
    CHECK(e.cmc[1].pessimistic == Approx(2.0 / 3));
    CHECK(e.cmc[0].ci95);
    // pd scores 0.55 with B. Falling: pa 0.9 (half the first place), pd 0.55, pb 0.5 (not first).
    REQUIRE(e.open_set);
    REQUIRE(e.open_set->curve.size() == 3);
    CHECK(e.open_set->curve[0].fpir == 0);
    CHECK(e.open_set->curve[0].fnir == Approx(1 - 0.5 / 3));
    CHECK(e.open_set->curve[0].fnir_any_rank == Approx(2.0 / 3));
    CHECK(e.open_set->curve[1].fpir == 1);
    CHECK(e.open_set->curve[2].threshold == 0.5);
    CHECK(e.open_set->curve[2].fnir == Approx(1 - 0.5 / 3));
    CHECK(e.open_set->curve[2].fnir_any_rank == Approx(1.0 / 3));
    CHECK_THAT(joined(e.warnings), Contains("1 probe and 0 gallery images") && Contains("FNIR at FPIR") &&
                                       Contains("The mates of 1 probe"));
    const Json json = identification_to_json(e);
    CHECK(json["rank1"].get<double>() == Approx(0.5 / 3));
    CHECK_FALSE(json["open_set"].contains("fnir_at_fpir_0.1"));
}

TEST_CASE("FNIR is read at the loosest threshold that keeps to the FPIR", "[evaluate][identification]") {
    // Unmated probes at 1 ... 10. The threshold can fall to 9.5, which leaves one of the ten: two mates
    // first, three above.
    std::vector<ProbeSearch> searches{mated_search(10.5, 0), mated_search(9.5, 0), mated_search(9.5, 1),
                                      mated_search(0.5, 0)};
    for (int i = 1; i <= 10; ++i) searches.push_back(unmated_search(i));
    const OpenSetCurve curve(searches);
    const Numbers estimates = bootstrap_estimates(curve, 50, 1);
    CHECK(value(estimates, "fnir_at_fpir_0.1") == 0.5);
    CHECK(value(estimates, "fnir_any_rank_at_fpir_0.1") == 0.25);
    CHECK_FALSE(estimates[1].value);  // 0.01 wants a hundred
}

TEST_CASE("closed sets have no open-set numbers, and sets without mates no ranks",
          "[evaluate][identification]") {
    const FourProbes f;
    IdentificationSet closed = f.set;
    closed.probe_subjects = {0, 1, 2, 0};
    const IdentificationEvaluation e = evaluate_identification(closed, f.scores, {}, "r");
    CHECK_FALSE(e.open_set);
    CHECK_THAT(joined(e.warnings), Contains("closed set only"));
    IdentificationSet strangers = f.set;
    strangers.probe_subjects = {3, 3, 3, 3};
    const IdentificationEvaluation none = evaluate_identification(strangers, f.scores, {}, "r");
    CHECK_FALSE(none.estimate("rank1").value);
    CHECK(none.cmc.empty());
    CHECK_THAT(joined(none.warnings), Contains("No probe has a mate"));
    CHECK_THROWS_WITH(evaluate_identification({}, {}, {}, "r"), Contains("no probe"));
}

TEST_CASE("a mate that was not enrolled misses, and its rivals do not", "[evaluate][identification]") {
    FourProbes f;
    for (std::size_t row = 0; row < 4; ++row) f.scores.values[row * 4 + 2] = not_enrolled;  // b1
    const std::vector<ProbeSearch> searches = search_gallery(f.set, f.scores);
    CHECK(searches[1].mated);
    CHECK_FALSE(searches[1].ranked());
    CHECK(searches[1].within(3) == 0);
    CHECK(searches[0].ties == 1);
    CHECK(evaluate_identification(f.set, f.scores, {}, "r").gallery_failed == 1);
}

TEST_CASE("an image is not its own mate", "[evaluate][identification]") {
    // Two images of A and one of B against all three.
    const IdentificationSet set{{"a1", "a2", "b1"}, {"a1", "a2", "b1"}, {0, 0, 1}, {0, 0, 1}, 2, {0, 1, 2}};
    const SimilarityMatrix scores{3, 3, {itself, 0.4, 0.5, 0.4, itself, 0.3, 0.5, 0.3, itself}};
    const std::vector<ProbeSearch> searches = search_gallery(set, scores);
    CHECK(searches[0].mated);
    CHECK(searches[0].greater == 1);  // b1 is more alike than a2
    CHECK(searches[1].greater == 0);
    CHECK_FALSE(searches[2].mated);  // its only image is itself
    CHECK(searches[2].best_score == 0.5);
}

TEST_CASE("ties spread over the ranks they may take", "[evaluate][identification]") {
    const ProbeSearch search = mated_search(1, 2, 3);  // ranks 3 to 6, each with probability 1/4
    CHECK(search.within(2) == 0);
    CHECK(search.within(3) == 0.25);
    CHECK(search.within(5) == 0.75);
    CHECK(search.within(6) == 1);
    const std::vector<ProbeSearch> searches{search, mated_search(1, 0)};
    const IdentificationCurve curve(searches, 6);
    const std::vector<CmcPoint> points = curve.curve();
    CHECK(points[2].rate == (0.25 + 1) / 2);
    CHECK(points[2].optimistic == 1);
    CHECK(points[4].pessimistic == 0.5);
    CHECK(points[5].pessimistic == 1);
    std::vector<double> values(curve.quantities().size());
    curve.evaluate(std::vector<std::uint16_t>{3, 1}, values);
    CHECK(values[0] == 0.25);  // rank 1: one of four
}

TEST_CASE("the mean over permutations is the expectation", "[evaluate][identification]") {
    // Images a1 a2 b1 b2. The first recogniser is perfect. The second mistakes probe a1 for b1: that needs a1
    // to be the probe and b1 in the gallery, one of four equally likely choices; rank 1 is then 1/2. Mean
    // 7/8.
    const SimilarityMatrix perfect{
        4, 4, {itself, 0.5, 0.1, 0.1, 0.5, itself, 0.1, 0.1, 0.1, 0.1, itself, 0.5, 0.1, 0.1, 0.5, itself}};
    SimilarityMatrix mistaken = perfect;
    mistaken.values[2] = 0.9;
    PermutationOptions options;
    options.permutations = 20000;
    const PermutationEvaluation e =
        evaluate_permutations({0, 0, 1, 1, 2}, {with_another_image(perfect)}, options);
    CHECK(e.subjects == 2);
    CHECK(e.images == 4);
    CHECK(e.images_left_out == 1);
    CHECK(e.curves[0][0].mean == 1);

    const PermutationEvaluation both = evaluate_permutations({0, 0, 1, 1}, {perfect, mistaken}, options);
    CHECK(both.curves[0][0].mean == 1);
    CHECK(both.curves[1][0].mean == Approx(0.875).margin(0.006));  // four standard errors
    CHECK(both.curves[1][0].central95 == Interval{0.5, 1.0});
    CHECK(both.curves[1][1].mean == 1);
    REQUIRE(both.comparisons.size() == 1);
    CHECK(both.comparisons[0].first_better == Approx(0.25).margin(0.013));
    CHECK(both.comparisons[0].second_better == 0);
    CHECK(both.comparisons[0].first_better + both.comparisons[0].equal == Approx(1));
    CHECK(both.comparisons[0].mean_difference == Approx(both.curves[1][0].mean - 1));

    Json other;
    {
        const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
        other = permutation_to_json(evaluate_permutations({0, 0, 1, 1}, {perfect, mistaken}, options),
                                    {"a", "b"});
    }
    CHECK(permutation_to_json(both, {"a", "b"}) == other);
    CHECK_THROWS_WITH(evaluate_permutations({0, 0, 1, 2}, {perfect}, options),
                      Contains("two or more subjects"));
}

TEST_CASE("permutations with several enrolled images, and by folds", "[evaluate][identification]") {
    // Three images of each of two subjects, a1 a2 a3 b1 b2 b3. a1 is like b1 (0.9) more than like any other;
    // all other images are like those of their subject (0.5), not of the other (0.1).
    constexpr double w = 0.5, o = 0.1;
    const SimilarityMatrix scores{
        6, 6, {itself, w, w, 0.9,    o, o, w, itself, w, o, o,      o, w, w, itself, o, o, o,
               0.9,    o, o, itself, w, w, o, o,      o, w, itself, w, o, o, o,      w, w, itself}};
    const std::vector<int> subjects{0, 0, 0, 1, 1, 1};
    PermutationOptions options;
    options.permutations = 3000;
    options.enrolled = 2;
    const PermutationEvaluation two = evaluate_permutations(subjects, {scores}, options);
    // Two enrolled, one probe of each: a1 is mistaken if it is the probe (1/3) and b1 is enrolled (2/3): 2/9
    // of its probes; b1 likewise. Rank 1 is 1 - 2/9.
    CHECK(two.curves[0][0].mean == Approx(7.0 / 9).margin(0.02));
    CHECK(two.images == 6);
    options.enrolled = 1;
    // One enrolled and one other: a1 is the probe (1/3), b1 enrolled (1/3).
    CHECK(evaluate_permutations(subjects, {scores}, options).curves[0][0].mean ==
          Approx(8.0 / 9).margin(0.02));

    options.folds = 3;
    const PermutationEvaluation folds = evaluate_permutations(subjects, {scores}, options);
    // Each fold has one probe of each subject: in the same fold (1/3 of the dealings) neither is mistaken,
    // else both are.
    CHECK(folds.curves[0][0].mean == Approx(1 - 2.0 / 3 / 3).margin(0.02));
    options.permutations = 3;
    // A whole dealing probes each image once.
    const double mean = evaluate_permutations(subjects, {scores}, options).curves[0][0].mean;
    CHECK((mean == Approx(1) || mean == Approx(4.0 / 6)));
    const Json json = permutation_to_json(folds, {"a"});
    CHECK(json["folds"] == 3);
    CHECK_FALSE(json.contains("enrolled"));

    options.permutations = 4;
    CHECK_THROWS_WITH(evaluate_permutations(subjects, {scores}, options), Contains("must be a multiple"));
    options.permutations = 8;
    options.folds = 4;
    CHECK_THROWS_WITH(evaluate_permutations(subjects, {scores}, options), Contains("use at most 3 folds"));
    options.folds = 0;
    options.enrolled = 3;
    CHECK_THROWS_WITH(evaluate_permutations(subjects, {scores}, options), Contains("with 4 or more images"));
    options.folds = 1;
    CHECK_THROWS_AS(evaluate_permutations(subjects, {scores}, options), UsageError);
}
