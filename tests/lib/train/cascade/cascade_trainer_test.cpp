#include "lib/train/cascade/cascade_trainer.hpp"

#include <random>
#include <stdexcept>

#include <catch2/catch.hpp>

#include "kernels/haar_lbp/haar_lbp_engine.hpp"
#include "lib/detect/cascade_xml.hpp"

using namespace fovea;

namespace {

constexpr Size window{12, 12};

/// Noise, darker above than below in the positives.
std::vector<std::uint8_t> windows(std::size_t count, bool is_object, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<std::uint8_t> pixels;
    for (std::size_t i = 0; i < count; ++i) {
        for (int y = 0; y < window.height; ++y) {
            for (int x = 0; x < window.width; ++x) {
                const int level = is_object ? (y < 6 ? 60 : 150) : 105;
                pixels.push_back(static_cast<std::uint8_t>(level + static_cast<int>(random() % 90) - 30));
            }
        }
    }
    return pixels;
}

CascadeSamples samples_of(unsigned seed) {
    CascadeSamples samples;
    samples.positives = windows(150, true, seed);
    samples.held_out = windows(60, true, seed + 1);
    std::mt19937 random(seed);
    for (int i = 0; i < 10; ++i) {
        BackgroundImage image{"ground", {80, 60, {}}, {}};
        // Ramps and noise: some windows look like the object.
        for (int y = 0; y < 60; ++y) {
            for (int x = 0; x < 80; ++x)
                image.image.pixels.push_back(
                    static_cast<std::uint8_t>((y * (i % 3 + 1) + x * (i % 2)) % 120 + random() % 90));
        }
        samples.backgrounds.push_back(std::move(image));
    }
    samples.backgrounds[0].objects = {{0, 0, 40, 30}};
    return samples;
}

CascadeTrainerSettings settings_of(BoostKind kind, int depth) {
    CascadeTrainerSettings settings;
    settings.window = window;
    settings.trees.boosting = kind;
    settings.trees.max_depth = depth;
    settings.stages.stages = 4;
    settings.stages.negatives = 200;
    settings.stages.min_negatives = 10;
    settings.stages.max_weak_count = 20;
    return settings;
}

CascadeTrainerHooks cpu_hooks() {
    CascadeTrainerHooks hooks;
    hooks.make_engine = [](const Cascade& cascade) { return make_cpu_engine(cascade); };
    return hooks;
}

Cascade parsed(const Cascade& cascade) {
    const std::string xml = cascade_xml(cascade, {});
    return parse_cascade({xml.data(), xml.size()}, "trained");
}

}  // namespace

TEST_CASE("Every kind of boosting keeps the positives and rejects noise", "[train-cascade]") {
    const BoostKind kind = GENERATE(BoostKind::gentle, BoostKind::real, BoostKind::discrete, BoostKind::logit);
    const int depth = GENERATE(1, 3);
    const bool is_lbp = GENERATE(false, true);
    CAPTURE(static_cast<int>(kind), depth, is_lbp);
    const WindowFeatures pool = is_lbp ? lbp_features(window) : haar_features(window, HaarPool::all);
    const CascadeSamples samples = samples_of(5);
    const CascadeTrainerResult result =
        train_cascade(pool, samples, settings_of(kind, depth), cpu_hooks());
    REQUIRE(!result.stages.empty());
    const auto passing = [&](const std::vector<std::uint8_t>& pixels) {
        std::size_t count = 0;
        for (const bool passes : windows_that_pass(result.cascade, pixels)) count += passes;
        return count;
    };
    CHECK(passing(windows(100, true, 99)) >= 85);
    CHECK(passing(windows(100, false, 98)) <= 45);
    CHECK(result.stages[0].hit_rate >= 0.995);
    // The scan reads the trees as they were grown.
    const Cascade read = parsed(result.cascade);
    CHECK(read.leaves == result.cascade.leaves);
    for (std::size_t i = 0; i < read.nodes.size() && !read.stumps_only; ++i) {
        CHECK(read.nodes[i].left == result.cascade.nodes[i].left);
        CHECK(read.nodes[i].right == result.cascade.nodes[i].right);
    }
}

TEST_CASE("A training that goes on after a stage gives the same cascade", "[train-cascade]") {
    const WindowFeatures pool = haar_features(window, HaarPool::basic);
    const CascadeSamples samples = samples_of(8);
    const CascadeTrainerSettings settings = settings_of(BoostKind::gentle, 2);
    CascadeTrainerHooks hooks = cpu_hooks();
    std::vector<CascadeTrainerResult> steps;
    hooks.done = [&](const CascadeTrainerResult& result) { steps.push_back(result); };
    const CascadeTrainerResult whole = train_cascade(pool, samples, settings, hooks);
    REQUIRE(whole.stages.size() >= 2);
    for (const CascadeTrainerResult& step : std::vector<CascadeTrainerResult>(steps)) {
        const CascadeTrainerResult result = train_cascade(pool, samples, settings, cpu_hooks(), step);
        CHECK(cascade_xml(result.cascade, {}) == cascade_xml(whole.cascade, {}));
    }
}

TEST_CASE("Mined windows pass the cascade and keep away from objects", "[train-cascade]") {
    const WindowFeatures pool = haar_features(window, HaarPool::basic);
    const CascadeSamples samples = samples_of(3);
    CascadeTrainerSettings settings = settings_of(BoostKind::gentle, 1);
    settings.stages.stages = 1;
    const CascadeTrainerResult result = train_cascade(pool, samples, settings, cpu_hooks());
    const Cascade cascade = parsed(result.cascade);
    const auto engine = make_cpu_engine(cascade);
    WindowMiningSettings mining;
    mining.count = 100000;
    const MinedWindows mined = mine_windows(engine.get(), window, true, samples.backgrounds, mining);
    REQUIRE(mined.count > 0);
    CHECK(mined.ran_dry);
    CHECK(mined.count == mined.windows_passed);
    CHECK(mined.images_searched == samples.backgrounds.size());
    for (const bool passes : windows_that_pass(result.cascade, mined.pixels)) CHECK(passes);

    mining.count = 10;
    const MinedWindows some = mine_windows(engine.get(), window, true, samples.backgrounds, mining);
    CHECK(some.count == 10);
    CHECK_FALSE(some.ran_dry);
    std::vector<BackgroundImage> covered(1, samples.backgrounds[0]);
    covered[0].objects = {{0, 0, 80, 60}};
    mining.max_object_iou = 0;
    CHECK(mine_windows(engine.get(), window, true, covered, mining).count == 0);
    CHECK(mine_windows(nullptr, window, true, covered, mining).count == 0);
    BackgroundImage flat{"flat", {40, 40, std::vector<std::uint8_t>(1600, 7)}, {}};
    CHECK(mine_windows(nullptr, window, true, {flat}, mining).count == 0);
    CHECK(mine_windows(nullptr, window, false, {flat}, mining).count > 0);
    BackgroundImage small{"small", {5, 5, std::vector<std::uint8_t>(25, 7)}, {}};
    CHECK(mine_windows(nullptr, window, false, {small}, mining).count == 0);
}

TEST_CASE("Weights of very many samples stay within their integers", "[train-cascade]") {
    const WindowFeatures pool = lbp_features({3, 3});
    std::vector<std::uint8_t> pixels(20000 * 9);
    std::mt19937 random(1);
    for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(random());
    const SampleIntegrals integrals({3, 3}, pixels, false);
    const FeatureBins bins(integrals, pool, std::size_t{1} << 20);
    TreeSettings settings;
    settings.weight_trim_rate = 1;
    // One positive that weighs as much as all others.
    Booster booster(bins, 1, settings);
    for (int i = 0; i < 5; ++i) {
        const std::vector<BoostedTree> tree = booster.grow();
        if (tree.empty()) break;
        CHECK(tree[0].leaves.size() == 2);
        CHECK(std::abs(tree[0].leaves[0]) <= 1);
    }
    CHECK_THROWS_AS(Booster(bins, 0, settings), std::invalid_argument);
    CHECK_THROWS_AS(Booster(bins, 20000, settings), std::invalid_argument);
}

TEST_CASE("A gentle stump is the one that is computed by hand", "[train-cascade]") {
    // One LBP feature. Two positives have a bright centre (code 0), one positive and three negatives a dark
    // one (code 255).
    const WindowFeatures pool = lbp_features({3, 3});
    REQUIRE(pool.size() == 1);
    std::vector<std::uint8_t> pixels;
    for (const int centre : {200, 200, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10}) {
        for (int i = 0; i < 9; ++i) pixels.push_back(static_cast<std::uint8_t>(i == 4 ? centre : 100));
    }
    const SampleIntegrals integrals({3, 3}, pixels, false);
    const FeatureBins bins(integrals, pool, std::size_t{1} << 20);
    TreeSettings settings;
    settings.weight_trim_rate = 1;
    settings.balanced = false;
    Booster booster(bins, 3, settings);
    const std::vector<BoostedTree> tree = booster.grow();
    REQUIRE(tree.size() == 1);
    REQUIRE(tree[0].nodes.size() == 1);
    // Code 255: one positive and nine negatives of equal weight, (1 - 9) / 10; code 0: positives alone.
    CHECK(tree[0].leaves[0] == Approx(-0.8).margin(1e-6));
    CHECK(tree[0].leaves[1] == Approx(1.0).margin(1e-6));
    CHECK(tree[0].nodes[0].subset[7] == 0x80000000U);
    CHECK(booster.sums()[0] == Approx(1.0).margin(1e-6));
    CHECK(booster.sums()[11] == Approx(-0.8).margin(1e-6));
}
