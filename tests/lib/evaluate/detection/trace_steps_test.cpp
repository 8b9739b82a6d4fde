#include "lib/evaluate/detection/trace_steps.hpp"

#include <array>
#include <utility>

#include <catch2/catch.hpp>

#include "lib/evaluate/detection/sparse_values.hpp"

namespace fovea {
namespace {

std::vector<Detection> detections_with(std::initializer_list<double> scores) {
    std::vector<Detection> list;
    for (const double score : scores) list.push_back({{0, 0, 1, 1}, score});
    return list;
}

std::array<int, 4> gain(const TraceSteps::Step& step) {
    return {step.true_positives, step.false_positives, static_cast<int>(step.changes_begin),
            static_cast<int>(step.changes_end)};
}

}  // namespace

TEST_CASE("steps of a trace are read as they were added", "[evaluate]") {
    TraceSteps steps;
    CHECK(steps.empty());
    CHECK(steps.total().false_positives == 0);
    steps.add(0.9, 0, 1, 0);
    steps.add(0.8, 1, 0, 2);  // a hit that changes two faces
    steps.add(0.8, 0, 1, 2);
    steps.add(0.5, 0, 0, 2);   // ignored
    steps.add(0.4, -1, 2, 3);  // matched anew
    steps.add(0.1, 0, 1, 4);   // a false positive that changes a face
    steps.add(0.0, 0, 1, 4);
    const std::vector<std::array<int, 4>> expected{{0, 1, 0, 0},  {1, 0, 0, 2}, {0, 1, 2, 2}, {0, 0, 2, 2},
                                                   {-1, 2, 2, 3}, {0, 1, 3, 4}, {0, 1, 4, 4}};
    REQUIRE(steps.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        CAPTURE(i);
        CHECK(gain(steps[i]) == expected[i]);
        CHECK(steps[i].score == steps.score(i));
    }
    CHECK(steps.score(4) == 0.4);
    CHECK(steps.total().true_positives == 0);
    CHECK(steps.total().false_positives == 6);
}

TEST_CASE("scores are those of detections that have the same in the same order, and of no others",
          "[evaluate]") {
    FallingScores scores;
    scores.share({});
    CHECK(scores.size() == 0);
    for (const double score : {0.75, 0.5, 0.5}) scores.push_back(score);
    const auto different = GENERATE(0, 1, 2, 3);
    std::vector<Detection> detections = detections_with({0.75, 0.5, 0.5});
    if (different == 1) detections.pop_back();
    if (different == 2) detections = detections_with({0.5, 0.75, 0.5});
    if (different == 3) detections = detections_with({0.75, 0.5, 0.25});
    scores.share(detections);
    REQUIRE(scores.size() == 3);
    CHECK((scores[0] == 0.75 && scores[1] == 0.5 && scores[2] == 0.5));
    for (Detection& detection : detections) detection.score = -1;
    CHECK(scores[0] == (different == 0 ? -1 : 0.75));
}

TEST_CASE("a list of mostly zeros is read as it was given", "[evaluate]") {
    CHECK(SparseValues().size() == 0);
    for (const std::vector<double>& given :
         std::vector<std::vector<double>>{{}, {0}, {0.5}, {0, 0, 0.25, 0, 1}, {1, 0, 0}, {0.1, 0.2, 0.3}}) {
        const SparseValues values(given);
        REQUIRE(values.size() == given.size());
        for (std::size_t i = 0; i < given.size(); ++i) CHECK(values[i] == given[i]);
        CHECK(values.all() == given);
        CHECK(values == SparseValues(given));
    }
    CHECK_FALSE(SparseValues(std::vector{0.0, 1.0}) == SparseValues(std::vector{1.0, 0.0}));
    CHECK_FALSE(SparseValues(std::vector{1.0}) == SparseValues(std::vector{1.0, 0.0}));
}

}  // namespace fovea
