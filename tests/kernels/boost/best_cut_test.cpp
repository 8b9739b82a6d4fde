// The best cut between bins beside the score of each cut.
#include "kernels/boost/best_cut.hpp"

#include <random>
#include <stdexcept>
#include <vector>

#include <catch2/catch.hpp>

using namespace fovea;
using enum SplitCriterion;

namespace {

/// Asks split_score(), cut by cut.
BestCut plain_best_cut(SplitCriterion criterion, const std::vector<SplitSums>& bins, const SplitSums& total) {
    BestCut best;
    SplitSums left;
    for (std::size_t i = 0; i < bins.size(); ++i) {
        if (bins[i].weight == 0) continue;
        left += bins[i];
        const SplitSums right{total.weight - left.weight, total.response - left.response};
        if (right.weight <= 0) break;
        const double score = split_score(criterion, left, right);
        if (score > best.score) best = {score, i + 1};
    }
    return best;
}

}  // namespace

TEST_CASE("the best cut by hand", "[boost][split]") {
    // Positives on the left, negatives on the right, one of each in the middle.
    const std::vector<SplitSums> bins{{2, 2}, {0, 0}, {2, 0}, {4, -4}, {0, 0}};
    const SplitSums total{8, -2};
    const BestCut cut = best_cut(squares, bins, total);
    CHECK(cut.end == 3);
    CHECK(cut.score == 4. / 4 + 16. / 4);
    // Cuts behind the first and the third bin get 7 right: the first one counts.
    CHECK(best_cut(error, bins, total).end == 1);
    CHECK(best_cut(error, bins, total).score == 7);
    CHECK(best_cut(gini, bins, total).end == 3);
    CHECK(best_cut(gini, bins, total).score == (16. + 4) / 8 + (16. + 16) / 8);
}

TEST_CASE("bins that cannot be cut", "[boost][split]") {
    for (const SplitCriterion criterion : {squares, gini, error}) {
        CHECK(best_cut(criterion, {}, {}).score == 0);
        const std::vector<SplitSums> one{{0, 0}, {5, 5}, {0, 0}};
        CHECK(best_cut(criterion, one, {5, 5}).score == 0);
        CHECK(best_cut(criterion, one, {5, 5}).end == 0);
        // The rest of the samples is in no bin: it is on the right.
        CHECK(best_cut(criterion, one, {6, 4}).end == 2);
    }
    CHECK_THROWS_AS(best_cut(squares, std::vector<SplitSums>(257), {}), std::invalid_argument);
}

TEST_CASE("cuts in vectors have the bits of single ones", "[boost][split]") {
    std::mt19937 random(3);
    for (const std::size_t count : {1, 2, 7, 8, 9, 33, 255, 256}) {
        for (int turn = 0; turn < 200; ++turn) {
            std::vector<SplitSums> bins(count);
            SplitSums total;
            for (SplitSums& bin : bins) {
                bin.weight = random() % 3 == 0 ? 0 : static_cast<std::int64_t>(random() % 4'000'000);
                if (bin.weight > 0)
                    bin.response = static_cast<std::int64_t>(random() % (2 * bin.weight + 1)) - bin.weight;
                total += bin;
            }
            for (const SplitCriterion criterion : {squares, gini, error}) {
                CAPTURE(count, turn, static_cast<int>(criterion));
                const BestCut expected = plain_best_cut(criterion, bins, total);
                const BestCut cut = best_cut(criterion, bins, total);
                REQUIRE(cut.score == expected.score);
                REQUIRE(cut.end == expected.end);
            }
        }
    }
}
