// Whole trainings on drawn crosses.
#include "lib/train/cascade/cascade_trainer.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <set>

#include <catch2/catch.hpp>

#include "kernels/haar_lbp/haar_lbp_engine.hpp"
#include "lib/core/overlap.hpp"
#include "lib/detect/cascade_detector.hpp"
#include "lib/detect/cascade_xml.hpp"
#include "lib/detect/opencv_reference.hpp"
#include "tests/kernels/boost/boost_samples.hpp"
#include "tests/lib/train/cascade/crosses.hpp"
#include "tests/support/gpu.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

CascadeTrainerSettings small_training() {
    CascadeTrainerSettings settings;
    settings.window = cross_window;
    settings.stages.stages = 3;
    settings.stages.negatives = 300;
    settings.stages.min_negatives = 20;
    settings.stages.max_false_alarm = 0.2;
    settings.stages.max_weak_count = 30;
    return settings;
}

CascadeSamples drawn_samples(int positives = 200, int held_out = 60, int backgrounds = 10) {
    return {crosses(positives, 1), crosses(held_out, 2), textures(backgrounds)};
}

/// Fewer features than all, so that a training takes a moment.
WindowFeatures pool_of(const std::string& name) {
    if (name == "lbp") return lbp_features(cross_window);
    WindowFeatures pool = haar_features(cross_window, name == "tilted" ? HaarPool::all : HaarPool::oro);
    if (name == "tilted") std::erase_if(pool.haar, [](const HaarFeature& f) { return !f.tilted; });
    return pool;
}

struct Training {
    WindowFeatures pool = pool_of("haar");
    CascadeSamples samples = drawn_samples();
    CascadeTrainerSettings settings = small_training();
    std::vector<CascadeTrainerResult> parts{};  ///< after each stage

    JobHooks hooks{};

    CascadeTrainerResult run(int threads = 2, CascadeTrainerResult begin = {},
                             const Device* device = nullptr) {
        const auto make_engine = [device](const Cascade& cascade) {
            if (device == nullptr) return make_cpu_engine(cascade);
            const int gpus[] = {device->index()};
            return make_cuda_engine(cascade, gpus);
        };
        const auto save = [this](const CascadeTrainerResult& result) { parts.push_back(result); };
        return on_threads(threads, [&] {
            return train_cascade(pool, samples, settings, {make_engine, device}, hooks, save,
                                 std::move(begin));
        });
    }
};

double share_of(const std::vector<bool>& passes) {
    return double(std::count(passes.begin(), passes.end(), true)) / double(passes.size());
}

std::string xml_of(const CascadeTrainerResult& result) {
    return cascade_xml(result.cascade, {});
}

/// Texture with three crosses, and where they are.
struct Scene {
    GreyImage image = smooth_noise(160, 120, 2, 900);
    std::vector<Box> objects{{20, 30, 12, 12}, {90, 20, 24, 24}, {60, 70, 36, 36}};

    Scene() {
        std::mt19937 random(9);
        for (const Box& box : objects)
            draw_cross(image, static_cast<int>(box.x), static_cast<int>(box.y), static_cast<int>(box.w),
                       random);
    }
};

}  // namespace

TEST_CASE("a trained cascade finds unseen objects, here and in OpenCV", "[train][cascade][opencv]") {
    const std::string name = GENERATE("haar", "tilted", "lbp");
    const int depth = GENERATE(1, 2);
    CAPTURE(name, depth);
    Training training;
    training.pool = pool_of(name);
    training.samples = drawn_samples(600, 300, 10);
    training.settings.trees.max_depth = depth;
    const CascadeTrainerResult result = training.run();
    REQUIRE(result.stages.size() >= 2);
    CHECK(result.cascade.has_tilted == (name == "tilted"));
    CHECK(result.cascade.stumps_only == (depth == 1));
    CHECK(share_of(windows_that_pass(result.cascade, crosses(500, 77))) > 0.93);
    // Textures of other seeds.
    GreyImage others = smooth_noise(12, 12 * 3000, 2, 444);
    CHECK(share_of(windows_that_pass(result.cascade, others.pixels)) < 0.05);

    const std::string xml = xml_of(result);
    const TempDir folder;
    OpenCvReference opencv(folder.write("crosses.xml", xml));
    const CascadeDetector detector(parse_cascade({xml.data(), xml.size()}, "crosses.xml"));
    const Scene scene;
    DetectorOptions options;
    options.min_neighbors = 1;
    const std::vector<Detection> found = detector.detect(scene.image.view(), options)[0];
    CHECK(
        compare_detections(found, opencv.grouped(scene.image.view(), options), ComparedValues::box_and_score)
            .empty());
    options.raw = true;
    const std::vector<Detection> windows = detector.detect(scene.image.view(), options)[0];
    CHECK(compare_detections(windows, opencv.raw_windows(scene.image.view(), options),
                             ComparedValues::box_and_stage_sum)
              .empty());
    for (const Box& object : scene.objects) {
        CAPTURE(object.x);
        CHECK(std::any_of(windows.begin(), windows.end(), [&](const Detection& window) {
            return intersection_over_union(window.box, object) > 0.5;
        }));
    }
}

TEST_CASE("samples that one stump tells apart still have several features", "[train][cascade]") {
    // Some held-out positives are off a little: the best stump, over and over, would lose them for good.
    Training training;
    training.samples = drawn_samples(40, 300, 3);
    training.settings.stages.max_false_alarm = 0.01;
    const CascadeTrainerResult result = training.run();
    REQUIRE(!result.stages.empty());
    for (std::size_t s = 0; s < result.stages.size(); ++s) {
        const CascadeStage& stage = result.cascade.stages[s];
        CHECK((result.stages[s].false_alarm < 1 || result.stages[s].training_false_alarm < 1));
        for (int t = stage.first_tree + 1; t < stage.first_tree + stage.tree_count; ++t) {
            const auto place = static_cast<std::size_t>(t);
            const CascadeNode &before = result.cascade.nodes[place - 1], &node = result.cascade.nodes[place];
            if (before.feature == node.feature) CHECK(before.threshold != node.threshold);
        }
    }
}

TEST_CASE("every kind of boosting trains a cascade", "[train][cascade]") {
    const BoostKind kind =
        GENERATE(BoostKind::gentle, BoostKind::real, BoostKind::discrete, BoostKind::logit);
    const int depth = GENERATE(1, 3);
    CAPTURE(static_cast<int>(kind), depth);
    Training training;
    training.settings.trees.boosting = kind;
    training.settings.trees.max_depth = depth;
    training.settings.stages.stages = 2;
    const CascadeTrainerResult result = training.run();
    REQUIRE(result.stages.size() == 2);
    for (const CascadeStageResult& stage : result.stages) {
        CHECK(stage.hit_rate >= 0.995);
        CHECK(stage.false_alarm <= 0.2);
    }
}

TEST_CASE("what a stage says of itself is so", "[train][cascade]") {
    for (const double held_out : {0.1, 0.0}) {
        Training training;
        training.settings.stages.held_out = held_out;
        if (held_out == 0) training.samples.held_out.clear();
        training.settings.stages.min_hit_rate = 0.97;
        const CascadeTrainerResult result = training.run();
        REQUIRE(result.stages.size() == training.parts.size());
        std::size_t first_tree = 0, positives = 200;
        for (std::size_t s = 0; s < result.stages.size(); ++s) {
            CAPTURE(s, held_out);
            const CascadeStageResult& stage = result.stages[s];
            CHECK(stage.positives == positives);
            CHECK(stage.negatives == 300);
            CHECK(stage.hit_rate >= 0.97);
            CHECK((stage.false_alarm <= 0.2 || stage.trees == 30));
            CHECK(stage.trees == static_cast<std::size_t>(result.cascade.stages[s].tree_count));
            CHECK(stage.nodes == stage.trees);
            CHECK(stage.threshold == result.cascade.stages[s].threshold);
            CHECK(static_cast<std::size_t>(result.cascade.stages[s].first_tree) == first_tree);
            first_tree += stage.trees;
            CHECK((s > 0 || stage.pass_rate == 1));
            CHECK(stage.pass_rate > 0);
            if (s > 0) CHECK(stage.pass_rate < 0.5);
            const double kept =
                share_of(windows_that_pass(training.parts[s].cascade, training.samples.positives));
            positives -= stage.lost_positives;
            CHECK(kept == double(positives) / 200);
            if (held_out == 0) {
                CHECK(stage.hit_rate == stage.training_hit_rate);
                CHECK(stage.false_alarm == stage.training_false_alarm);
                CHECK(stage.hit_rate ==
                      Approx(double(stage.positives - stage.lost_positives) / double(stage.positives)));
            }
        }
        CHECK(first_tree == result.cascade.trees.size());
        CHECK((result.end == TrainingEnd::all_stages) == (result.stages.size() == 3));
    }
}

TEST_CASE("a stage's threshold keeps the wanted share of the positives", "[train][cascade]") {
    const std::vector<double> sums{4, -1, 3, 0.5, 2, 1, 7, 6, 5, 8};
    CHECK(stage_threshold(sums, 0.95) == -1);
    CHECK(stage_threshold(sums, 0.8999) == 0.5);
    CHECK(stage_threshold(sums, 0.7999) == 1);
    CHECK(stage_threshold(sums, 0.5) == 4);
    CHECK(stage_threshold({2.5}, 0.6) == 2.5);
    // Floats near 1000 are 6e-5 apart: the nearest one may be more than OpenCV's slack of 1e-5 above.
    for (const double sum : {1000.00004, -1000.00002, 0.1, 1e6 + 0.04, 0.0}) {
        CAPTURE(sum);
        const float threshold = stage_threshold({sum}, 0.995);
        CHECK(static_cast<double>(threshold) <= sum);
        CHECK(static_cast<double>(std::nextafter(threshold, 1e9F)) > sum);
    }
}

TEST_CASE("a cascade is read with lower thresholds", "[train][cascade]") {
    Cascade cascade;
    cascade.stages = {{0, 1, 0.5F}, {1, 1, -2}};
    const Cascade read = as_read(cascade);
    CHECK(read.stages[0].threshold == 0.5F - 1e-5F);
    CHECK(read.stages[1].threshold == -2 - 1e-5F);
}

TEST_CASE("a cascade has the same bytes for every number of threads and when it is resumed",
          "[train][cascade]") {
    const std::string name = GENERATE("haar", "tilted", "lbp");
    const int depth = GENERATE(1, 2);
    CAPTURE(name, depth);
    Training training;
    training.pool = pool_of(name);
    training.settings.trees.max_depth = depth;
    training.settings.stages.min_hit_rate = 0.98;
    const std::string whole = xml_of(training.run(1));
    const std::vector<CascadeTrainerResult> parts = training.parts;
    REQUIRE(parts.size() >= 2);
    CHECK(xml_of(training.run(4)) == whole);
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
        // A checkpoint gives it so: read from a file, with thresholds as the file has them.
        CascadeTrainerResult begin = parts[i];
        const std::string xml = xml_of(begin);
        const Cascade read = parse_cascade({xml.data(), xml.size()}, "part");
        begin.cascade = read;
        for (std::size_t s = 0; s < begin.stages.size(); ++s)
            begin.cascade.stages[s].threshold = begin.stages[s].threshold;
        const CascadeTrainerResult resumed = training.run(2, begin);
        CHECK(xml_of(resumed) == whole);
        CHECK(resumed.stages.size() == parts.size());
        CHECK(resumed.stages.back().positives == parts.back().stages.back().positives);
    }
    // No memory for bins, and another seed.
    training.settings.max_bin_bytes = 0;
    CHECK(xml_of(training.run(2)) == whole);
    training.settings.seed = 2;
    CHECK(xml_of(training.run(2)) != whole);
}

TEST_CASE("a cascade tells its stages and how far they are, and may be cancelled", "[train][cascade]") {
    Training training;
    std::vector<std::string> stages;
    std::size_t windows = 0, trees = 0;
    std::atomic<bool> cancel{false};
    training.hooks.cancel = &cancel;
    training.hooks.stage = [&](const std::string& stage) { stages.push_back(stage); };
    training.hooks.progress = [&](const JobProgress& now) {
        CHECK(now.total > 0);
        (now.unit == "trees" ? trees : windows) += 1;
    };
    const CascadeTrainerResult whole = training.run();
    CHECK(trees == whole.cascade.trees.size());
    CHECK(windows > 0);
    REQUIRE(stages.size() == 3 * whole.stages.size());
    CHECK(stages[0] == "stage 1: searching negatives");
    CHECK(stages[5] == "stage 2: boosting");

    training.parts.clear();
    training.hooks.progress = [&](const JobProgress& now) {
        cancel = now.unit == "trees" && training.parts.size() == 1;
    };
    CHECK_THROWS_AS(training.run(), JobCancelled);
    REQUIRE(training.parts.size() == 1);
    cancel = false;
    training.hooks = {};
    CHECK(xml_of(training.run(2, training.parts[0])) == xml_of(whole));
}

TEST_CASE("a cascade trained on a GPU has the CPU's bytes", "[train][cascade][cuda]") {
    const auto gpu = test::gpu();
    if (!gpu) return;
    const std::string name = GENERATE("haar", "tilted", "lbp");
    const int depth = GENERATE(1, 3);
    const BoostKind kind =
        GENERATE(BoostKind::gentle, BoostKind::real, BoostKind::discrete, BoostKind::logit);
    CAPTURE(name, depth, static_cast<int>(kind));
    Training training;
    training.pool = pool_of(name);
    training.settings.trees.max_depth = depth;
    training.settings.trees.boosting = kind;
    CHECK(xml_of(training.run(4, {}, &*gpu)) == xml_of(training.run(4)));
}

TEST_CASE("a cascade holds the features that it uses, each once", "[train][cascade]") {
    Training training;
    training.settings.stages.max_false_alarm = 0.02;
    const Cascade cascade = training.run().cascade;
    std::set<int> used;
    for (const CascadeNode& node : cascade.nodes) used.insert(node.feature);
    CHECK(used.size() == cascade.haar_features.size());
    std::set<std::vector<int>> distinct;
    for (const HaarFeature& feature : cascade.haar_features) {
        std::vector<int> key;
        for (std::size_t r = 0; r < 3; ++r) {
            const Rect& rect = feature.rects[r];
            key.insert(key.end(), {rect.x, rect.y, rect.width, rect.height});
        }
        distinct.insert(key);
    }
    CHECK(distinct.size() == cascade.haar_features.size());
}

TEST_CASE("backgrounds that run dry end the training with what was trained", "[train][cascade]") {
    Training training;
    training.samples.backgrounds = textures(2, 40, 30);
    training.settings.stages.stages = 20;
    training.settings.stages.max_false_alarm = 0.05;
    const CascadeTrainerResult result = training.run();
    CHECK(result.end == TrainingEnd::no_negatives);
    CHECK(result.stages.size() >= 1);
    CHECK(result.stages.size() < 20);
    CHECK(result.negatives_left < 20);
    CHECK(result.stages.size() == result.cascade.stages.size());

    // Nothing at all.
    training.samples.backgrounds = {{"flat", {50, 50, std::vector<std::uint8_t>(2500, 7)}, {}}};
    const CascadeTrainerResult none = training.run();
    CHECK(none.end == TrainingEnd::no_negatives);
    CHECK(none.stages.empty());
    CHECK(none.negatives_left == 0);
    training.samples.backgrounds = {{"small", noise(11, 11, 1), {}}};
    CHECK(training.run().end == TrainingEnd::no_negatives);
}

TEST_CASE("no more negatives are needed than are wanted", "[train][cascade]") {
    StageSettings settings;
    settings.negatives = 4000;
    settings.min_negatives = 100;
    CHECK(least_negatives(settings) == 100);
    settings.negatives = 30;
    CHECK(least_negatives(settings) == 30);
    settings.min_negatives = 1;
    CHECK(least_negatives(settings) == 3);
    Training training;
    training.settings.stages.negatives = 30;
    training.settings.stages.min_negatives = 100;
    training.settings.stages.stages = 1;
    CHECK(training.run().stages.size() == 1);
}

TEST_CASE("positives without contrast are no positives of a Haar cascade", "[train][cascade]") {
    Training training;
    training.settings.stages.stages = 1;
    const std::vector<std::uint8_t> flat(50 * 144, 100);
    training.samples.positives.insert(training.samples.positives.end(), flat.begin(), flat.end());
    const CascadeTrainerResult result = training.run();
    CHECK(result.flat_positives == 50);
    REQUIRE(result.stages.size() == 1);
    CHECK(result.stages[0].positives == 200);

    training.samples.positives = flat;
    const CascadeTrainerResult none = training.run();
    CHECK(none.end == TrainingEnd::no_positives);
    CHECK(none.stages.empty());
    CHECK(none.flat_positives == 50);

    // An LBP cascade takes them.
    training.pool = pool_of("lbp");
    CHECK(training.run().stages.size() == 1);
}

TEST_CASE("samples that are alike on both sides have no split", "[train][cascade]") {
    // Positives are windows of the same image that negatives are drawn from: one window there is.
    Training training;
    const GreyImage one = noise(12, 12, 3);
    training.samples.positives = one.pixels;
    training.samples.held_out.clear();
    for (int i = 0; i < 30; ++i) {
        training.samples.positives.insert(training.samples.positives.end(), one.pixels.begin(),
                                          one.pixels.end());
        training.samples.backgrounds = std::vector<BackgroundImage>(30, {"one", one, {}});
    }
    const CascadeTrainerResult result = training.run();
    CHECK(result.end == TrainingEnd::no_split);
    CHECK(result.stages.empty());
}

TEST_CASE("a training needs samples of both kinds", "[train][cascade]") {
    Training training;
    training.samples.positives.clear();
    CHECK_THROWS_AS(training.run(), std::invalid_argument);
    training.samples = drawn_samples();
    training.samples.backgrounds.clear();
    CHECK_THROWS_AS(training.run(), std::invalid_argument);
}
