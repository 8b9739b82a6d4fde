// Counts and measures of a cascade on windows that it was not trained on, and its rates on whole images.
#include "lib/train/cascade/window_test.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <catch2/catch.hpp>

#include "kernels/haar_lbp/haar_lbp_engine.hpp"
#include "lib/core/overlap.hpp"
#include "lib/train/cascade/cascade_rates.hpp"
#include "lib/train/cascade/cascade_trainer.hpp"
#include "tests/lib/train/cascade/crosses.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

/// A cascade of three stages for crosses.
Cascade cross_cascade(const WindowFeatures& pool, int stages = 3) {
    const CascadeSamples samples{crosses(150, 1), {}, textures(6)};
    CascadeTrainerSettings settings;
    settings.window = cross_window;
    settings.stages.stages = stages;
    settings.stages.negatives = 200;
    settings.stages.min_negatives = 20;
    settings.stages.max_false_alarm = 0.6;
    settings.stages.held_out = 0;
    const CascadeTrainerDevices cpu{[](const Cascade& cascade) { return make_cpu_engine(cascade); }};
    Cascade cascade = train_cascade(pool, samples, settings, cpu).cascade;
    REQUIRE(cascade.stages.size() == static_cast<std::size_t>(stages));
    return cascade;
}

Cascade first_stages(Cascade cascade, std::size_t count) {
    cascade.stages.resize(count);
    return cascade;
}

}  // namespace

TEST_CASE("accuracy, precision, recall and F1 of counts", "[train-cascade]") {
    // Andargie 2019, table 5.2, false alarms 0.50: .75 .78 .70 .74.
    const WindowTestResult chosen{215, 62, 245, 92};
    CHECK(chosen.accuracy() == Approx(460.0 / 614));
    CHECK(chosen.precision() == Approx(215.0 / 277));
    CHECK(chosen.recall() == Approx(215.0 / 307));
    CHECK(chosen.f1() == Approx(430.0 / 584));
    CHECK(std::round(100 * chosen.f1()) == 74);

    const WindowTestResult nothing_found{0, 0, 10, 5};
    CHECK(std::isnan(nothing_found.precision()));
    CHECK(nothing_found.recall() == 0);
    CHECK(nothing_found.f1() == 0);
    CHECK(std::isnan(WindowTestResult{0, 0, 10, 0}.f1()));
    CHECK(std::isnan(WindowTestResult{}.accuracy()));
}

TEST_CASE("a test counts windows that pass", "[train-cascade]") {
    const WindowFeatures pool = haar_features(cross_window, HaarPool::oro);
    const Cascade cascade = cross_cascade(pool);
    const std::vector<std::uint8_t> flat(std::size_t{144} * 7, 90), positives = crosses(40, 9);
    const WindowTestResult result = test_cascade(cascade, positives, flat);
    CHECK(result.true_positives + result.false_negatives == 40);
    CHECK(result.true_positives >= 36);
    CHECK(result.false_positives == 0);
    CHECK(result.true_negatives == 7);
    const WindowTestResult swapped = test_cascade(cascade, flat, positives);
    CHECK(swapped.false_positives == result.true_positives);
    CHECK(swapped.false_negatives == 7);
}

TEST_CASE("negatives of a test are drawn once each and not on objects", "[train-cascade]") {
    CascadeTrainConfig config;
    config.width = config.height = 12;
    std::vector<BackgroundImage> images = textures(3, 60, 50);
    CHECK(test_negatives(config, images, 25).size() == std::size_t{25} * 144);
    config.test.negatives = 300;
    const std::vector<std::uint8_t> drawn = test_negatives(config, images, 25);
    CHECK(drawn.size() == std::size_t{300} * 144);
    CHECK(test_negatives(config, images, 25) == drawn);
    config.seed = 2;
    CHECK(test_negatives(config, images, 25) != drawn);
    // Everything is an object, for windows of every size.
    config.max_object_iou = 0;
    for (BackgroundImage& image : images) image.objects = {{0, 0, 60, 50}};
    CHECK(test_negatives(config, images, 25).empty());
}

TEST_CASE("the fate of a window is that of the cascade's beginnings", "[train-cascade]") {
    const std::string kind = GENERATE("haar", "lbp");
    const WindowFeatures pool =
        kind == "lbp" ? lbp_features(cross_window) : haar_features(cross_window, HaarPool::oro);
    const Cascade cascade = cross_cascade(pool);
    std::vector<std::uint8_t> windows = crosses(30, 5);
    windows.insert(windows.end(), 144, 77);  // flat
    const std::vector<std::uint8_t> others =
        mine_windows(nullptr, cross_window, false, textures(4), {.count = 100}).pixels;
    windows.insert(windows.end(), others.begin(), others.end());
    const std::vector<WindowFate> fates = fates_of_windows(cascade, windows);
    REQUIRE(fates.size() == windows.size() / 144);
    std::set<int> seen;
    for (std::size_t stages = 1; stages <= 3; ++stages) {
        const std::vector<bool> passes = windows_that_pass(first_stages(cascade, stages), windows);
        for (std::size_t i = 0; i < fates.size(); ++i) {
            CHECK(passes[i] == (fates[i].stages_passed >= static_cast<int>(stages)));
            seen.insert(fates[i].stages_passed);
        }
    }
    CHECK(seen.size() >= 3);
    CHECK(fates[30].stages_passed == (kind == "haar" ? WindowFate::flat : fates[30].stages_passed));
}

TEST_CASE("the rates of a cascade are counted over all windows of a scan", "[train-cascade]") {
    const std::string kind = GENERATE("haar", "lbp");
    const WindowFeatures pool =
        kind == "lbp" ? lbp_features(cross_window) : haar_features(cross_window, HaarPool::oro);
    const Cascade cascade = cross_cascade(pool);
    const std::vector<std::uint8_t> positives = crosses(60, 3);
    std::vector<BackgroundImage> images = textures(4);
    images.push_back({"flat", {60, 50, std::vector<std::uint8_t>(3000, 70)}, {}});
    const CascadeRates rates = cascade_rates(cascade, positives, images, {});
    CHECK(rates.images == 5);
    CHECK(rates.positives == 60);
    REQUIRE(rates.stages.size() == 3);
    REQUIRE(rates.rejected.size() == 3);

    // The engine finds the windows that pass, the traces count all of them.
    const Cascade read = as_read(cascade);
    const auto engine = make_cpu_engine(read);
    std::int64_t windows = 0, flat = 0, passed = 0;
    std::vector<std::int64_t> rejected(3);
    for (const BackgroundImage& image : images) {
        const std::vector<ImageView<const std::uint8_t>> views{image.image.view()};
        passed += static_cast<std::int64_t>(engine->detect(views, {{}, 0})[0].windows.size());
        const WindowTrace trace = engine->trace(image.image.view(), {});
        for (const WindowTrace::Level& level : trace.levels) {
            for (const std::int16_t stages : level.stages_passed) {
                if (stages != WindowTrace::skipped) ++windows;
                if (stages == WindowTrace::flat) ++flat;
                if (stages >= 0 && stages < 3) ++rejected[static_cast<std::size_t>(stages)];
            }
        }
    }
    CHECK(rates.windows == windows);
    CHECK(rates.flat == flat);
    CHECK((flat > 0) == (kind == "haar"));
    CHECK(rates.rejected == rejected);
    CHECK(rates.passed == passed);
    CHECK(rates.rejection(0) == static_cast<double>(rejected[0]) / static_cast<double>(windows));
    for (std::size_t s = 0; s < 3; ++s) {
        const std::vector<bool> passes = windows_that_pass(first_stages(cascade, s + 1), positives);
        CHECK(rates.stages[s].hit_rate ==
              static_cast<double>(std::count(passes.begin(), passes.end(), true)) / 60);
    }
    CHECK(rates.stages[2].false_alarm == static_cast<double>(passed) / static_cast<double>(windows));

    // The last stage's threshold takes the curve from nothing over its own point to that of the stage before.
    const auto& curve = rates.last_stage;
    CHECK((curve.front().false_alarm == 0 && curve.front().hit_rate == 0));
    CHECK(curve.back().false_alarm == rates.stages[1].false_alarm);
    CHECK(curve.back().hit_rate == rates.stages[1].hit_rate);
    CHECK(std::is_sorted(curve.begin(), curve.end(), [](const RatePoint& a, const RatePoint& b) {
        return a.false_alarm < b.false_alarm || (a.false_alarm == b.false_alarm && a.hit_rate < b.hit_rate);
    }));
    CHECK(std::any_of(curve.begin(), curve.end(), [&](const RatePoint& point) {
        return point.false_alarm == rates.stages[2].false_alarm && point.hit_rate == rates.stages[2].hit_rate;
    }));
}

TEST_CASE("rates leave annotated objects out, and take some of many images", "[train-cascade]") {
    const WindowFeatures pool = lbp_features(cross_window);
    const Cascade cascade = cross_cascade(pool, 1);
    std::vector<BackgroundImage> images = textures(4);
    const std::int64_t all = cascade_rates(cascade, crosses(5, 1), images, {}).windows;
    images[1].objects = {{20, 20, 30, 30}};
    CascadeRatesOptions options;
    const CascadeRates some = cascade_rates(cascade, crosses(5, 1), images, options);
    CHECK(some.windows < all);
    CHECK(some.windows > all / 2);
    options.max_object_iou = 1;
    CHECK(cascade_rates(cascade, crosses(5, 1), images, options).windows == all);
    options.max_pixels = 2 * 120 * 90;
    CHECK(cascade_rates(cascade, crosses(5, 1), images, options).images == 2);
    options.max_pixels = 1;
    CHECK(cascade_rates(cascade, crosses(5, 1), images, options).images == 1);
    // A cascade of one stage: its curve ends where every window passes that is looked at.
    CHECK(some.last_stage.back().false_alarm == 1);
    CHECK(some.last_stage.back().hit_rate == 1);
}
