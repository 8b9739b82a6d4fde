// Splits beside all that there are, scored by the textbook's formulas.
#include "kernels/boost/split_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include <catch2/catch.hpp>

#include "tests/kernels/boost/boost_samples.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

using enum SplitCriterion;
constexpr SplitCriterion criteria[] = {squares, gini, error};

struct Side {
    std::int64_t weight = 0, response = 0;

    void add(const BoostWeight& sample) {
        weight += sample.weight;
        response += sample.response;
    }
};

/// The score of one side by its definition: the weighted sum of squares of the mean response, what is left of
/// the weight after the Gini impurity, or the weight of the majority.
double score_by_definition(SplitCriterion criterion, const Side& side) {
    if (side.weight == 0) return 0;
    const double weight = static_cast<double>(side.weight), mean = double(side.response) / weight;
    const double positive = weight * (1 + mean) / 2, negative = weight * (1 - mean) / 2;
    switch (criterion) {
        case squares:
            return weight * mean * mean;
        case gini:
            return weight - 2 * positive * negative / weight;
        case error:
            return std::max(positive, negative);
    }
    return 0;
}

double score_by_definition(SplitCriterion criterion, const Side& left, const Side& right) {
    return score_by_definition(criterion, left) + score_by_definition(criterion, right);
}

bool goes_left(const FeatureSplit& split, std::uint8_t bin) {
    return (split.subset[bin / 32] >> (bin % 32) & 1) != 0;
}

/// Samples of a test, with random weights and classes.
struct Search {
    Search(const WindowFeatures& pool, std::size_t count, std::uint32_t seed, std::size_t max_bytes = 1 << 20)
        : integrals(pool.window, random_windows(pool.window, count, seed), pool.has_tilted()),
          bins(integrals, pool, max_bytes),
          random(seed) {}

    /// \param share of the samples that take part
    void choose(double share) {
        samples.clear();
        weights.clear();
        for (std::uint32_t i = 0; i < integrals.count(); ++i) {
            if (double(random() % 1000) >= 1000 * share) continue;
            // Some have no weight, and some the same.
            const auto weight = static_cast<std::int32_t>(random() % 4 == 0 ? 0 : 1 + random() % 50);
            samples.push_back(i);
            weights.push_back({weight, random() % 2 == 0 ? weight : -weight});
        }
    }

    double score_of(const FeatureSplit& split, SplitCriterion criterion) const {
        FeatureBins::Scratch scratch;
        const std::uint8_t* const of = bins.of(split.feature, scratch);
        Side left, right;
        for (std::size_t i = 0; i < samples.size(); ++i)
            (goes_left(split, of[samples[i]]) ? left : right).add(weights[i]);
        return score_by_definition(criterion, left, right);
    }

    /// The best of all cuts between two bins with weight on both sides; 0 if there is none.
    double best_cut(std::size_t feature, SplitCriterion criterion) const {
        FeatureBins::Scratch scratch;
        const std::uint8_t* const of = bins.of(feature, scratch);
        double best = 0;
        for (int cut = 1; cut < 256; ++cut) {
            Side left, right;
            for (std::size_t i = 0; i < samples.size(); ++i)
                (of[samples[i]] < cut ? left : right).add(weights[i]);
            if (left.weight == 0 || right.weight == 0) continue;
            best = std::max(best, score_by_definition(criterion, left, right));
        }
        return best;
    }

    /// The best of all ways to share the codes out over two sides that both have weight.
    double best_partition(std::size_t feature, SplitCriterion criterion, std::size_t most_codes) const {
        FeatureBins::Scratch scratch;
        const std::uint8_t* const of = bins.of(feature, scratch);
        std::map<int, Side> codes;
        for (std::size_t i = 0; i < samples.size(); ++i) codes[of[samples[i]]].add(weights[i]);
        std::erase_if(codes, [](const auto& code) { return code.second.weight == 0; });
        REQUIRE(codes.size() <= most_codes);
        double best = 0;
        for (std::uint32_t subset = 1; subset + 1 < 1U << codes.size(); ++subset) {
            Side sides[2];
            std::uint32_t number = 0;
            for (const auto& [code, side] : codes) {
                Side& to = sides[subset >> number++ & 1];
                to.weight += side.weight;
                to.response += side.response;
            }
            best = std::max(best, score_by_definition(criterion, sides[0], sides[1]));
        }
        return best;
    }

    std::vector<FeatureSplit> best(SplitCriterion criterion, std::size_t most = 1'000'000) const {
        return best_splits(bins, samples, weights, criterion, most);
    }

    SampleIntegrals integrals;
    FeatureBins bins;
    std::mt19937 random;
    std::vector<std::uint32_t> samples;
    std::vector<BoostWeight> weights;
};

bool same(const std::vector<FeatureSplit>& a, const std::vector<FeatureSplit>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
        return x.feature == y.feature && x.score == y.score && x.subset == y.subset;
    });
}

/// All splits of a search: each is the best of its feature, they are sorted, and those that are missing split
/// nothing.
template <class BestOfFeature>
void check_splits(const Search& search, SplitCriterion criterion, const BestOfFeature& best_of) {
    const std::vector<FeatureSplit> splits = search.best(criterion);
    std::vector<bool> found(search.bins.features().size());
    for (std::size_t i = 0; i < splits.size(); ++i) {
        const FeatureSplit& split = splits[i];
        CAPTURE(split.feature);
        REQUIRE(split.score == Approx(best_of(split.feature)).epsilon(1e-12));
        REQUIRE(search.score_of(split, criterion) == Approx(split.score).epsilon(1e-12));
        REQUIRE_FALSE(found[split.feature]);
        found[split.feature] = true;
        if (i == 0) continue;
        const FeatureSplit& before = splits[i - 1];
        REQUIRE(
            (before.score > split.score || (before.score == split.score && before.feature < split.feature)));
    }
    for (std::size_t feature = 0; feature < found.size(); ++feature) {
        CAPTURE(feature);
        if (!found[feature]) REQUIRE(best_of(feature) == 0);
    }
}

}  // namespace

TEST_CASE("scores of splits by hand", "[boost][split]") {
    // Left 3 : 1 for the positives, right 2 : 6.
    CHECK(split_score(squares, {4, 2}, {8, -4}) == 1 + 2);
    CHECK(split_score(gini, {4, 2}, {8, -4}) == 10. / 4 + 40. / 8);
    CHECK(split_score(error, {4, 2}, {8, -4}) == 3 + 6);
    CHECK(split_score(squares, {0, 0}, {4, -2}) == 1);
    CHECK(split_score(gini, {0, 0}, {0, 0}) == 0);
    CHECK(split_score(error, {5, -5}, {0, 0}) == 5);
}

TEST_CASE("the best splits by Haar features are the best of all cuts", "[boost][split]") {
    const WindowFeatures pool = haar_features({6, 6}, HaarPool::all);
    for (const std::uint32_t seed : {1U, 2U, 3U}) {
        Search search(pool, 60, seed);
        for (const double share : {1.0, 0.5, 0.2}) {
            search.choose(share);
            for (const SplitCriterion criterion : criteria) {
                CAPTURE(seed, share, static_cast<int>(criterion));
                check_splits(search, criterion,
                             [&](std::size_t feature) { return search.best_cut(feature, criterion); });
            }
        }
    }
}

TEST_CASE("the best splits by LBP features are the best of all subsets of the codes", "[boost][split]") {
    const WindowFeatures pool = lbp_features({6, 6});
    for (const std::uint32_t seed : {4U, 5U, 6U}) {
        Search search(pool, 24, seed);
        for (const double share : {1.0, 0.4}) {
            search.choose(share);
            // 10 codes at most: all others lose their weight.
            for (std::size_t i = 10; i < search.weights.size(); ++i) search.weights[i] = {};
            for (const SplitCriterion criterion : criteria) {
                CAPTURE(seed, share, static_cast<int>(criterion));
                check_splits(search, criterion, [&](std::size_t feature) {
                    return search.best_partition(feature, criterion, 10);
                });
            }
        }
    }
}

TEST_CASE("splits do not depend on threads or on the memory for bins", "[boost][split]") {
    for (const WindowFeatures& pool : {haar_features({9, 9}, HaarPool::core), lbp_features({9, 9})}) {
        Search kept(pool, 200, 7, std::size_t{1} << 26), made(pool, 200, 7, 0);
        kept.choose(0.7);
        made.choose(0.7);
        REQUIRE(made.bins.kept() == 0);
        for (const SplitCriterion criterion : criteria) {
            const std::vector<FeatureSplit> one = on_threads(1, [&] { return kept.best(criterion); });
            REQUIRE(one.size() > 20);
            CHECK(same(one, on_threads(4, [&] { return kept.best(criterion); })));
            CHECK(same(one, on_threads(4, [&] { return made.best(criterion); })));
            // Only the first ones.
            const std::vector<FeatureSplit> three = kept.best(criterion, 3);
            CHECK(same(three, {one.begin(), one.begin() + 3}));
            CHECK(kept.best(criterion, 0).empty());
        }
    }
}

TEST_CASE("of equal splits that of the first feature comes first", "[boost][split]") {
    WindowFeatures pool = haar_features({5, 5}, HaarPool::basic);
    pool.haar.resize(20);
    const std::vector<HaarFeature> once = pool.haar;
    pool.haar.insert(pool.haar.end(), once.begin(), once.end());
    Search search(pool, 50, 8);
    search.choose(1);
    const std::vector<FeatureSplit> splits = search.best(squares);
    for (std::size_t i = 0; i + 1 < splits.size(); i += 2) {
        REQUIRE(splits[i].score == splits[i + 1].score);
        REQUIRE(splits[i].feature < splits[i + 1].feature);
    }
}

TEST_CASE("samples of one class, of one value or without weight", "[boost][split]") {
    const WindowFeatures pool = haar_features({5, 5}, HaarPool::basic);
    Search search(pool, 40, 9);
    search.choose(1);
    for (BoostWeight& weight : search.weights) weight = {};
    for (const SplitCriterion criterion : criteria) {
        CHECK(search.best(criterion).empty());
        CHECK_FALSE(
            best_threshold(search.integrals, pool.haar[0], search.samples, search.weights, criterion));
    }
    search.samples = {3};
    search.weights = {{5, 5}};
    CHECK(search.best(squares).empty());
    CHECK_FALSE(best_threshold(search.integrals, pool.haar[0], search.samples, search.weights, squares));
    search.samples.clear();
    search.weights.clear();
    CHECK(search.best(gini).empty());
    CHECK_FALSE(best_threshold(search.integrals, pool.haar[0], search.samples, search.weights, gini));
}

TEST_CASE("sums as large as they may be do not run over", "[boost][split]") {
    // 100,000 samples, of which one has half of the weight and the others the rest, all of one class.
    const WindowFeatures pool = lbp_features({3, 3});
    Search search(pool, 100'000, 10, 0);
    search.samples.resize(100'000);
    std::iota(search.samples.begin(), search.samples.end(), 0U);
    constexpr auto half = static_cast<std::int32_t>(BoostWeight::max_sum / 2);
    for (const int sign : {1, -1}) {
        search.weights.assign(100'000, {half / 99'999, sign * (half / 99'999)});
        search.weights[77] = {half, sign * half};
        const std::vector<FeatureSplit> splits = search.best(squares);
        REQUIRE(splits.size() == 1);
        // All have one response, so that any split scores the weight.
        CHECK(splits[0].score == Approx(half + 99'999. * (half / 99'999)).epsilon(1e-12));
        // The one is now of the other class: codes are best put on the side of their majority.
        search.weights[77].response *= -1;
        FeatureBins::Scratch scratch;
        const std::uint8_t* const codes = search.bins.of(0, scratch);
        std::array<Side, 256> sides{};
        for (std::size_t i = 0; i < search.weights.size(); ++i) sides[codes[i]].add(search.weights[i]);
        double expected = 0;
        for (const Side& side : sides) expected += score_by_definition(error, side);
        CHECK(search.best(error)[0].score == Approx(expected).epsilon(1e-12));
    }
}

TEST_CASE("the best threshold is the best of all places between two values", "[boost][split]") {
    const WindowFeatures pool = haar_features({6, 6}, HaarPool::all);
    for (const std::uint32_t seed : {11U, 12U}) {
        Search search(pool, 50, seed);
        for (const double share : {1.0, 0.4}) {
            search.choose(share);
            for (std::size_t feature = 0; feature < pool.size(); feature += 7) {
                std::vector<float> values(50 + SampleIntegrals::padding);
                haar_values(search.integrals, pool.haar[feature], 0, 50, values.data());
                for (const SplitCriterion criterion : criteria) {
                    CAPTURE(seed, share, feature, static_cast<int>(criterion));
                    double best = -1;
                    const auto score_at = [&](float threshold) {
                        Side left, right;
                        for (std::size_t i = 0; i < search.samples.size(); ++i)
                            (values[search.samples[i]] < threshold ? left : right).add(search.weights[i]);
                        if (left.weight == 0 || right.weight == 0) return -1.0;
                        return score_by_definition(criterion, left, right);
                    };
                    for (const std::uint32_t sample : search.samples)
                        best = std::max(best, score_at(values[sample]));
                    const auto found = best_threshold(search.integrals, pool.haar[feature], search.samples,
                                                      search.weights, criterion);
                    REQUIRE(found.has_value() == (best >= 0));
                    if (!found) continue;
                    REQUIRE(found->score == Approx(best).epsilon(1e-12));
                    REQUIRE(score_at(found->threshold) == Approx(best).epsilon(1e-12));
                    // It is the middle between the values on both sides.
                    float below = -1e30F, above = 1e30F;
                    for (const std::uint32_t sample : search.samples) {
                        const float value = values[sample];
                        if (value < found->threshold) below = std::max(below, value);
                        if (value >= found->threshold) above = std::min(above, value);
                    }
                    REQUIRE(found->threshold == (below + above) * 0.5F);
                }
            }
        }
    }
}
