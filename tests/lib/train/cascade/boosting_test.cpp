// Boosting beside the papers' formulas, on samples that one LBP feature tells apart.
#include "lib/train/cascade/boosting.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <set>

#include <catch2/catch.hpp>

#include "tests/kernels/boost/boost_samples.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

using enum BoostKind;

/// Samples that are the same: their code, class and number.
struct Group {
    int code = 0;
    bool is_positive = false;
    std::size_t count = 0;
    double weight = 0;  ///< of all, as the reference has it
    double sum = 0;     ///< of the leaves
};

/// A window of 3x3 pixels of this code.
void append_window(std::vector<std::uint8_t>& pixels, int code) {
    constexpr int places[] = {0, 1, 2, 5, 8, 7, 6, 3};  // clockwise, most significant bit first
    std::uint8_t window[9] = {};
    window[4] = 100;
    for (int i = 0; i < 8; ++i) window[places[i]] = (code >> (7 - i) & 1) != 0 ? 200 : 50;
    pixels.insert(pixels.end(), window, window + 9);
}

/// The codes 3, 40 and 200, positives : negatives as 4 : 1, 1 : 3 and 2 : 2.
std::vector<Group> thirteen(std::size_t times = 1) {
    return {{3, true, 4 * times, 0, 0}, {40, true, times, 0, 0},      {200, true, 2 * times, 0, 0},
            {3, false, times, 0, 0},    {40, false, 3 * times, 0, 0}, {200, false, 2 * times, 0, 0}};
}

/// Boosting by the formulas of J. Friedman, T. Hastie and R. Tibshirani (2000), in double precision.
class Reference {
  public:
    Reference(std::vector<Group> groups, const TreeSettings& settings)
        : groups_(std::move(groups)), settings_(settings) {
        for (Group& group : groups_)
            group.weight = static_cast<double>(group.count) / (2 * total_of(group.is_positive));
        if (!settings.balanced) {
            for (Group& group : groups_)
                group.weight = static_cast<double>(group.count) / (total_of(true) + total_of(false));
        }
        start_ = groups_;
    }

    const std::vector<Group>& groups() const { return groups_; }

    void grow() {
        const std::vector<Group> heavy = trimmed();
        std::set<int> codes;
        for (const Group& group : heavy) codes.insert(group.code);
        const std::vector<int> list(codes.begin(), codes.end());
        double best = -1;
        std::set<int> left;
        for (std::uint32_t subset = 1; subset + 1 < 1U << list.size(); ++subset) {
            std::set<int> here;
            for (std::size_t i = 0; i < list.size(); ++i) {
                if ((subset >> i & 1) != 0) here.insert(list[i]);
            }
            const double score = score_of(heavy, here, true) + score_of(heavy, here, false);
            if (score > best + 1e-12) {
                best = score;
                left = here;
            }
        }
        // The lower mean goes left, and codes without a sample go right.
        const Side here = side_of(heavy, left, true), there = side_of(heavy, left, false);
        if (here.response / here.weight > there.response / there.weight) {
            std::set<int> others;
            for (const int code : list) {
                if (!left.contains(code)) others.insert(code);
            }
            left = others;
        }
        const double leaves[] = {leaf_of(heavy, left, false), leaf_of(heavy, left, true)};
        double error = 0, weight = 0;
        for (const Group& group : groups_) {
            const double leaf = leaves[left.contains(group.code) ? 1 : 0];
            weight += group.weight;
            if ((leaf > 0) != group.is_positive) error += group.weight;
        }
        const double vote = settings_.boosting == discrete ? std::log((weight - error) / error) : 1;
        for (std::size_t i = 0; i < groups_.size(); ++i)
            reweigh(groups_[i], vote * leaves[left.contains(groups_[i].code) ? 1 : 0], error / weight, i);
        double sum = 0;
        for (const Group& group : groups_) sum += group.weight;
        for (Group& group : groups_) group.weight /= sum;
    }

  private:
    double total_of(bool is_positive) const {
        double total = 0;
        for (const Group& group : groups_) {
            if (group.is_positive == is_positive) total += static_cast<double>(group.count);
        }
        return total;
    }

    /// Without the samples that are lighter than the one that the lightest have more than
    /// 1 - weight_trim_rate of the weight with.
    std::vector<Group> trimmed() const {
        const auto of_one = [](const Group& group) { return group.weight / double(group.count); };
        std::vector<Group> heavy(groups_);
        std::sort(heavy.begin(), heavy.end(),
                  [&](const Group& a, const Group& b) { return of_one(a) < of_one(b); });
        double sum = 0, least = 0;
        for (const Group& group : heavy) {
            sum += group.weight;
            least = of_one(group);
            if (sum > 1 - settings_.weight_trim_rate) break;
        }
        std::erase_if(heavy, [&](const Group& group) { return of_one(group) < least * (1 - 1e-9); });
        return heavy;
    }

    /// The mean response of a group: ±1, or LogitBoost's z.
    double response_of(const Group& group) const {
        const double y = group.is_positive ? 1 : -1;
        if (settings_.boosting != logit) return y;
        const double p = 1 / (1 + std::exp(-group.sum));  // 2 F is the sum
        return std::clamp(((group.is_positive ? 1 : 0) - p) / std::max(p * (1 - p), 1e-5), -4.0, 4.0);
    }

    struct Side {
        double weight = 0, response = 0;
    };
    Side side_of(const std::vector<Group>& groups, const std::set<int>& codes, bool is_left) const {
        Side side;
        for (const Group& group : groups) {
            if (codes.contains(group.code) != is_left) continue;
            side.weight += group.weight;
            side.response += group.weight * response_of(group);
        }
        return side;
    }

    double score_of(const std::vector<Group>& groups, const std::set<int>& codes, bool is_left) const {
        const Side side = side_of(groups, codes, is_left);
        const double positive = (side.weight + side.response) / 2,
                     negative = (side.weight - side.response) / 2;
        if (settings_.boosting == real) return (positive * positive + negative * negative) / side.weight;
        if (settings_.boosting == discrete) return std::max(positive, negative);
        return side.response * side.response / side.weight;
    }

    double leaf_of(const std::vector<Group>& groups, const std::set<int>& codes, bool is_left) const {
        const Side side = side_of(groups, codes, is_left);
        const double mean = side.response / side.weight;
        if (settings_.boosting == real) {
            const double share = std::clamp((1 + mean) / 2, 1e-5, 1 - 1e-5);
            return 0.5 * std::log(share / (1 - share));
        }
        if (settings_.boosting == discrete) return mean >= 0 ? 1 : -1;
        return mean;
    }

    void reweigh(Group& group, double leaf, double error, std::size_t place) const {
        group.sum += leaf;
        const double y = group.is_positive ? 1 : -1;
        switch (settings_.boosting) {
            case discrete:
                // The paper's rule: the wrong ones' weight rises by the odds.
                if (y * leaf < 0) group.weight *= (1 - error) / error;
                break;
            case logit: {
                const double p = 1 / (1 + std::exp(-group.sum));
                group.weight = start_[place].weight * std::max(p * (1 - p), 1e-5);
                break;
            }
            case gentle:
            case real:
                group.weight *= std::exp(-y * leaf);
        }
    }

    std::vector<Group> groups_, start_;
    TreeSettings settings_;
};

/// A Booster on groups of samples, positives first.
struct Boosting {
    Boosting(const std::vector<Group>& list, const TreeSettings& settings)
        : groups(list),
          pool(lbp_features({3, 3})),
          integrals({3, 3}, windows_of(list), false),
          bins(integrals, pool, 1 << 20),
          booster(bins, positives_of(list), settings) {}

    static std::vector<std::uint8_t> windows_of(const std::vector<Group>& list) {
        std::vector<std::uint8_t> pixels;
        for (const Group& group : list) {
            for (std::size_t i = 0; i < group.count; ++i) append_window(pixels, group.code);
        }
        return pixels;
    }
    static std::size_t positives_of(const std::vector<Group>& list) {
        std::size_t count = 0;
        for (const Group& group : list) count += group.is_positive ? group.count : 0;
        return count;
    }

    /// The sum of a group's samples, which must all be the same.
    double sum_of(std::size_t group) const {
        std::size_t first = 0;
        for (std::size_t i = 0; i < group; ++i) first += groups[i].count;
        for (std::size_t i = 0; i < groups[group].count; ++i)
            REQUIRE(booster.sums()[first + i] == booster.sums()[first]);
        return booster.sums()[first];
    }

    std::vector<Group> groups;
    WindowFeatures pool;
    SampleIntegrals integrals;
    FeatureBins bins;
    Booster booster;
};

TreeSettings settings_of(BoostKind kind, double trim = 1, bool balanced = false) {
    TreeSettings settings;
    settings.boosting = kind;
    settings.weight_trim_rate = trim;
    settings.balanced = balanced;
    return settings;
}

/// The leaves of the first tree that the samples of codes 3, 40 and 200 reach.
std::array<double, 3> first_leaves(BoostKind kind) {
    Boosting boosting(thirteen(), settings_of(kind));
    const std::vector<BoostedTree> trees = boosting.booster.grow();
    REQUIRE(trees.size() == 1);
    REQUIRE(trees[0].nodes.size() == 1);
    REQUIRE(trees[0].leaves.size() == 2);
    CHECK(trees[0].nodes[0].left == 0);
    CHECK(trees[0].nodes[0].right == -1);
    return {boosting.sum_of(0), boosting.sum_of(1), boosting.sum_of(2)};
}

/// Random windows of a size, of which the first have a bright middle.
std::vector<std::uint8_t> windows_with_middle(Size window, std::size_t bright, std::size_t others) {
    std::vector<std::uint8_t> pixels = random_windows(window, bright + others, 3);
    std::mt19937 random(4);
    for (std::size_t i = 0; i < bright; ++i) {
        for (int y = 0; y < window.height; ++y) {
            for (int x = 0; x < window.width; ++x) {
                std::uint8_t& pixel = pixels[i * pixels_in(window) + std::size_t(y * window.width + x)];
                const bool in_middle = std::abs(2 * x - window.width) + std::abs(2 * y - window.height) < 8;
                pixel = static_cast<std::uint8_t>((in_middle ? 120 : 0) + random() % 130);
            }
        }
    }
    return pixels;
}

}  // namespace

TEST_CASE("the first stump by hand", "[train][cascade]") {
    // {40, 200} with 3 : 5 against {3} with 4 : 1. The score of squares is 2²/8 + 3²/5 = 2.3; that of {40}
    // against the rest 2²/4 + 3²/9 = 2.
    const std::array<double, 3> of_gentle = first_leaves(gentle);
    CHECK(of_gentle[0] == Approx(0.6));
    CHECK(of_gentle[1] == Approx(-0.25));
    CHECK(of_gentle[2] == of_gentle[1]);

    const std::array<double, 3> of_real = first_leaves(real);
    CHECK(of_real[0] == Approx(0.5 * std::log(4.0)));
    CHECK(of_real[1] == Approx(0.5 * std::log(3.0 / 5)));
    CHECK(of_real[2] == of_real[1]);

    // Both splits have 9 of 13 right.
    const std::array<double, 3> of_discrete = first_leaves(discrete);
    CHECK(of_discrete[0] == Approx(std::log(9.0 / 4)));
    CHECK(of_discrete[1] == Approx(-std::log(9.0 / 4)));
    CHECK(std::abs(of_discrete[2]) == Approx(std::log(9.0 / 4)));

    // All have p = 1/2, and so z = ±2.
    const std::array<double, 3> of_logit = first_leaves(logit);
    CHECK(of_logit[0] == Approx(1.2));
    CHECK(of_logit[1] == Approx(-0.5));
    CHECK(of_logit[2] == of_logit[1]);
}

TEST_CASE("classes that weigh the same in all", "[train][cascade]") {
    // 7 positives of 1/14 and 6 negatives of 1/12: code 3 has 4/14 : 1/12.
    Boosting boosting(thirteen(), settings_of(gentle, 1, true));
    REQUIRE(boosting.booster.grow().size() == 1);
    CHECK(boosting.sum_of(0) == Approx((4. / 14 - 1. / 12) / (4. / 14 + 1. / 12)));
    CHECK(boosting.sum_of(1) == Approx((3. / 14 - 5. / 12) / (3. / 14 + 5. / 12)));
}

TEST_CASE("rounds of boosting are those of the papers' formulas", "[train][cascade]") {
    const BoostKind kind = GENERATE(gentle, real, discrete, logit);
    const bool balanced = GENERATE(false, true);
    const double trim = GENERATE(1.0, 0.75, 0.9);
    CAPTURE(static_cast<int>(kind), balanced, trim);
    // Most of the heavy samples are soon of one class: no split beats that.
    if (kind == discrete && trim < 1) return;
    // A fourth code, so that subsets differ.
    std::vector<Group> groups = thirteen(20);
    groups[2].count = 43;
    groups.insert(groups.begin(), {129, true, 11, 0, 0});
    groups.push_back({129, false, 46, 0, 0});
    const TreeSettings settings = settings_of(kind, trim, balanced);
    Boosting boosting(groups, settings);
    Reference reference(groups, settings);
    for (int round = 0; round < (trim < 1 ? 3 : 4); ++round) {
        REQUIRE(boosting.booster.grow().size() == 1);
        reference.grow();
        CAPTURE(round);
        for (std::size_t g = 0; g < groups.size(); ++g) {
            CAPTURE(groups[g].code, groups[g].is_positive);
            REQUIRE(boosting.sum_of(g) == Approx(reference.groups()[g].sum).epsilon(1e-5).margin(1e-6));
        }
    }
}

TEST_CASE("many samples of very different weights are added up rightly", "[train][cascade]") {
    const BoostKind kind = GENERATE(gentle, real, discrete, logit);
    const bool balanced = GENERATE(true, false);
    CAPTURE(static_cast<int>(kind), balanced);
    const std::vector<Group> groups{{3, true, 9, 0, 0},        {40, true, 2, 0, 0},
                                    {200, true, 5, 0, 0},      {3, false, 20'000, 0, 0},
                                    {40, false, 70'000, 0, 0}, {200, false, 9'990, 0, 0}};
    const TreeSettings settings = settings_of(kind, 1, balanced);
    Boosting boosting(groups, settings);
    Reference reference(groups, settings);
    for (int round = 0; round < 4; ++round) {
        // The majority's answer may be as good as any split.
        if (boosting.booster.grow().empty()) {
            REQUIRE(kind == discrete);
            break;
        }
        reference.grow();
        for (std::size_t g = 0; g < groups.size(); ++g) {
            CAPTURE(round, g);
            // A light sample's weight is some thousand units.
            REQUIRE(boosting.sum_of(g) == Approx(reference.groups()[g].sum).epsilon(2e-3).margin(1e-3));
        }
    }
}

TEST_CASE("samples that are told apart entirely have finite leaves in every round", "[train][cascade]") {
    const BoostKind kind = GENERATE(gentle, real, discrete, logit);
    CAPTURE(static_cast<int>(kind));
    Boosting boosting({{3, true, 30, 0, 0}, {40, false, 40, 0, 0}}, settings_of(kind, 0.95));
    for (int round = 0; round < 200; ++round) {
        const std::vector<BoostedTree> trees = boosting.booster.grow();
        if (trees.empty()) break;
        for (const float leaf : trees[0].leaves) {
            REQUIRE(std::isfinite(leaf));
            REQUIRE(std::abs(leaf) < 12);
        }
    }
    CHECK(boosting.sum_of(0) > 0.9);
    CHECK(boosting.sum_of(1) < -0.9);
}

TEST_CASE("one sample that is badly wrong does not outvote the others of LogitBoost", "[train][cascade]") {
    Boosting boosting({{3, true, 500, 0, 0}, {40, true, 1, 0, 0}, {40, false, 500, 0, 0}},
                      settings_of(logit, 1));
    for (int round = 0; round < 30; ++round) {
        const std::vector<BoostedTree> trees = boosting.booster.grow();
        if (trees.empty()) break;
        for (const float leaf : trees[0].leaves) REQUIRE(std::abs(leaf) <= 4);
    }
    CHECK(boosting.sum_of(0) > 4);
    CHECK(boosting.sum_of(2) < -4);
}

TEST_CASE("few samples that have all the weight are joined by the others", "[train][cascade]") {
    // Ten samples of one code share half of the weight: alone they cannot be split.
    Boosting boosting({{3, true, 10, 0, 0}, {3, false, 500, 0, 0}, {40, false, 500, 0, 0}},
                      settings_of(gentle, 0.5, true));
    const std::vector<BoostedTree> trees = boosting.booster.grow();
    REQUIRE(trees.size() == 1);
    CHECK(boosting.sum_of(0) > boosting.sum_of(2));
}

TEST_CASE("samples that no feature tells apart have no tree", "[train][cascade]") {
    const BoostKind kind = GENERATE(gentle, real, discrete, logit);
    Boosting boosting({{3, true, 30, 0, 0}, {3, false, 40, 0, 0}}, settings_of(kind, 0.95));
    CHECK(boosting.booster.grow().empty());
    Boosting few({{3, true, 5, 0, 0}, {40, false, 5, 0, 0}}, settings_of(kind, 1));
    CHECK(few.booster.grow().empty());
}

TEST_CASE("boosting needs positives and negatives", "[train][cascade]") {
    const std::vector<Group> groups = thirteen();
    Boosting boosting(groups, {});
    CHECK_THROWS_AS(Booster(boosting.bins, 0, {}), std::invalid_argument);
    CHECK_THROWS_AS(Booster(boosting.bins, 13, {}), std::invalid_argument);
    CHECK_THROWS_AS(Booster(boosting.bins, 14, {}), std::invalid_argument);
}

TEST_CASE("trees are numbered breadth first and reach their depth", "[train][cascade]") {
    const Size window{8, 8};
    // 50 of the 150 positives look like negatives: trees have much to split.
    const SampleIntegrals samples(window, windows_with_middle(window, 100, 300), true);
    for (const WindowFeatures& pool : {haar_features(window, HaarPool::all), lbp_features(window)}) {
        const FeatureBins bins(samples, pool, std::size_t{1} << 26);
        for (const int depth : {1, 2, 3, 4}) {
            for (const BoostKind kind : {gentle, real, discrete, logit}) {
                CAPTURE(depth, static_cast<int>(kind), static_cast<int>(pool.kind));
                TreeSettings settings = settings_of(kind, 0.95, true);
                settings.max_depth = depth;
                const auto grown = [&](int threads) {
                    return on_threads(threads, [&] {
                        Booster booster(bins, 150, settings);
                        std::vector<BoostedTree> trees;
                        for (int round = 0; round < 3; ++round) trees.push_back(booster.grow().at(0));
                        // Another way to add the leaves up.
                        ScoredSamples scored(samples, pool);
                        for (const BoostedTree& tree : trees) scored.add(tree);
                        REQUIRE(scored.sums() == booster.sums());
                        return trees;
                    });
                };
                const std::vector<BoostedTree> trees = grown(1), again = grown(4);
                int deepest = 0;
                for (std::size_t t = 0; t < trees.size(); ++t) {
                    const BoostedTree& tree = trees[t];
                    REQUIRE(tree.leaves.size() == tree.nodes.size() + 1);
                    REQUIRE(tree.nodes.size() < 1U << depth);
                    std::vector<int> levels(tree.nodes.size(), 1);
                    int node = 0, leaf = 0;
                    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
                        for (const int child : {tree.nodes[i].left, tree.nodes[i].right}) {
                            if (child > 0) {
                                REQUIRE(child == ++node);
                                levels[static_cast<std::size_t>(child)] = levels[i] + 1;
                            } else {
                                REQUIRE(child == -leaf++);
                            }
                        }
                    }
                    REQUIRE(levels.back() <= depth);
                    deepest = std::max(deepest, levels.back());
                    REQUIRE(again[t].leaves == tree.leaves);
                    REQUIRE(again[t].nodes.size() == tree.nodes.size());
                    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
                        REQUIRE(again[t].nodes[i].feature == tree.nodes[i].feature);
                        REQUIRE(again[t].nodes[i].threshold == tree.nodes[i].threshold);
                        REQUIRE(again[t].nodes[i].subset == tree.nodes[i].subset);
                    }
                }
                REQUIRE(deepest >= std::min(depth, 3));
            }
        }
    }
}
