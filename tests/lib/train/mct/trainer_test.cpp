#include <atomic>
#include <limits>

#include <catch2/catch.hpp>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include "kernels/mct/mct_engine.hpp"
#include "kernels/mct/scan_mct.hpp"
#include "lib/core/error.hpp"
#include "tests/lib/train/mct/synthetic_faces.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

constexpr std::int32_t never = std::numeric_limits<std::int32_t>::max();

const TrainingData& shared_data() {
    static const TrainingData data = drawn_data();
    return data;
}

TrainingState train(const TrainConfig& config, const JobHooks& hooks = {}, TrainingState from = {},
                    int threads = 2, const SaveState<TrainingState>& save = {},
                    const MctDetector::EngineMaker& make_engine = {}) {
    tbb::task_arena arena(threads);
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(threads));
    return arena.execute(
        [&] { return train_cascade(config, shared_data(), std::move(from), hooks, save, make_engine); });
}

// Share of patches that are left after look-ups 0...i, for every i.
std::vector<double> kept_after(const MctCascade& cascade, const std::vector<MctPatch>& patches) {
    std::vector<int> left(cascade.lookups.size());
    for (const MctPatch& patch : patches) {
        for (int i = lookups_passed(cascade, patch); i > 0; --i) ++left[i - 1];
    }
    std::vector<double> shares;
    for (const int count : left) shares.push_back(count / static_cast<double>(patches.size()));
    return shares;
}

std::string failure_of(const TrainConfig& config, const TrainingData& data) {
    try {
        train_cascade(config, data, {}, {});
    } catch (const Error& error) {
        return error.what();
    }
    return "none";
}

}  // namespace

TEST_CASE("a soft cascade tells faces from grounds, coarse look-ups first", "[train][trainer]") {
    const TrainConfig config = small_training();
    const TrainingState state = train(config);
    const MctCascade& cascade = state.cascade;
    REQUIRE(cascade.lookups.size() == 16);
    REQUIRE(cascade.weights.size() == 16 * MctCascade::codes);
    CHECK(cascade.coarse_lookups() == 4);
    for (const MctLookup& lookup : cascade.lookups) {
        CHECK_FALSE(lookup.starts_stage);
        CHECK(lookup.reject_above != never);
    }
    // Faces and grounds that the training never saw.
    CHECK(kept_after(cascade, face_patches(200, 50'000)).back() > 0.7);
    const GreyImage other = smooth_noise(160, 120, 2, 9999);
    const auto levels = mct_levels({160, 120}, {});
    std::size_t windows = 0;
    for (const PyramidLevel& level : levels) windows += std::size_t(level.columns) * level.rows;
    CHECK(scan_mct(cascade, other.view(), levels).size() < windows / 20);
}

TEST_CASE("thresholds lose the share of validation faces that is allowed, and no more", "[train][trainer]") {
    const TrainConfig config = small_training();
    const TrainingState state = train(config);
    const auto kept = kept_after(state.cascade, shared_data().validation_faces);
    const auto trained = kept_after(state.cascade, shared_data().faces);
    REQUIRE(state.steps.size() == kept.size());
    // 2 % by the square root over 4 coarse look-ups, then lines to 2 + 2 % at 8 and 2 + 6.5 % at 16.
    std::vector<double> allowed{.01, .02 * std::sqrt(.5), .02 * std::sqrt(.75), .02};
    for (int i = 5; i <= 8; ++i) allowed.push_back(.02 + .0025 * i);
    for (int i = 9; i <= 16; ++i) allowed.push_back(.04 + .045 * (i - 8) / 8);
    for (std::size_t i = 0; i < kept.size(); ++i) {
        INFO("look-up " << i);
        CHECK(kept[i] >= 1 - allowed[i] - 1e-12);
        CHECK(state.steps[i].lookups == static_cast<int>(i) + 1);
        CHECK(state.steps[i].validation_kept == Approx(kept[i]));
        CHECK(state.steps[i].faces_kept == Approx(trained[i]));
    }
    // The last one is the least of its kind: one less, and too many are lost.
    MctCascade stricter = state.cascade;
    --stricter.lookups.back().reject_above;
    CHECK(kept_after(stricter, shared_data().validation_faces).back() < 1 - allowed.back() - 1e-12);
}

TEST_CASE("every look-up has a threshold even where the allowed losses fall", "[train][trainer]") {
    TrainConfig config = small_training();
    config.cascade.losses = {{6, 0.1}, {12, 0.01}};
    const TrainingState state = train(config);
    for (const MctLookup& lookup : state.cascade.lookups) CHECK(lookup.reject_above < 127 * 16);
    const auto kept = kept_after(state.cascade, shared_data().validation_faces);
    CHECK(kept.back() == kept[5]);  // no further face is lost
    // And where they add up to all of them.
    config.cascade.coarse_loss = 0.9;
    config.cascade.losses = {{16, 0.9}};
    const TrainingState loose = train(config);
    CHECK(loose.steps.back().validation_kept > 0);
    CHECK(loose.cascade.lookups.back().reject_above != never);
}

TEST_CASE("the cascade depends on the seed, and on nothing but data and settings", "[train][trainer]") {
    for (const CascadeKind kind : {CascadeKind::soft, CascadeKind::staged}) {
        TrainConfig config = small_training(kind);
        const TrainingState one = train(config, {}, {}, 1);
        const TrainingState two = train(config, {}, {}, 2);
        CHECK(one.cascade == two.cascade);
        CHECK(one.steps == two.steps);
        config.seed = 2;
        CHECK(train(config).cascade != one.cascade);
    }
}

TEST_CASE("from every checkpoint the training comes to the same cascade", "[train][trainer]") {
    for (const CascadeKind kind : {CascadeKind::soft, CascadeKind::staged}) {
        const TrainConfig config = small_training(kind);
        std::vector<TrainingState> checkpoints;
        const TrainingState whole =
            train(config, {}, {}, 2, [&](const TrainingState& state) { checkpoints.push_back(state); });
        REQUIRE(checkpoints.size() >= 2);
        CHECK(checkpoints[0].cascade.lookups.empty());
        for (const TrainingState& checkpoint : checkpoints) {
            INFO("from " << checkpoint.cascade.lookups.size() << " look-ups");
            const TrainingState resumed = train(config, {}, checkpoint);
            CHECK(resumed.cascade == whole.cascade);
            CHECK(resumed.steps == whole.steps);
        }
        // One that is complete is given back as it is.
        CHECK(train(config, {}, whole).cascade == whole.cascade);
    }
}

TEST_CASE("a checkpoint of other planes is refused", "[train][trainer]") {
    const TrainingState soft = train(small_training());
    const TrainConfig staged = small_training(CascadeKind::staged);
    CHECK_THROWS_WITH(train(staged, {}, soft), Contains("not those of this configuration"));
}

TEST_CASE("a staged cascade has its numbers of positions on plane pixel", "[train][trainer]") {
    const TrainingState state = train(small_training(CascadeKind::staged));
    const MctCascade& cascade = state.cascade;
    REQUIRE(cascade.lookups.size() == 9);
    CHECK(state.steps.size() == 2);
    CHECK(state.steps[1].lookups == 9);
    for (std::size_t i = 0; i < 9; ++i) {
        CHECK(cascade.lookups[i].plane == MctPlane::pixel);
        CHECK(cascade.lookups[i].starts_stage == (i == 0 || i == 3));
    }
    // Within a stage no position comes twice.
    for (const auto& [first, end] : {std::pair{0, 3}, {3, 9}}) {
        for (int i = first; i < end; ++i) {
            for (int j = i + 1; j < end; ++j) {
                CHECK((cascade.lookups[i].x != cascade.lookups[j].x ||
                       cascade.lookups[i].y != cascade.lookups[j].y));
            }
        }
    }
    const auto kept = kept_after(cascade, shared_data().validation_faces);
    CHECK(kept[2] >= 0.97);
    CHECK(kept[8] >= 0.97 * 0.97);
    CHECK(state.steps[1].validation_kept == Approx(kept[8]));
}

TEST_CASE("rejection inside a stage is that at its end, only sooner", "[train][trainer]") {
    const MctCascade cascade = train(small_training(CascadeKind::staged)).cascade;
    REQUIRE(cascade.lookups.size() == 9);
    MctCascade at_ends = cascade;
    for (const std::size_t i : {0, 1, 3, 4, 5, 6, 7}) at_ends.lookups[i].reject_above = never;
    // Texture with faces, and noise.
    GreyImage scene = ground(160, 120, 77);
    Dice dice(3);
    draw_face(scene, 50, 60, 30, dice);
    draw_face(scene, 110, 55, 44, dice);
    for (const GreyImage& image : {scene, noise(90, 70, 4)}) {
        const auto levels = mct_levels({image.width, image.height}, {});
        const auto windows = scan_mct(cascade, image.view(), levels);
        CHECK((windows == scan_mct(at_ends, image.view(), levels)));
        const WindowTrace trace = trace_mct(cascade, image.view(), levels);
        const WindowTrace later = trace_mct(at_ends, image.view(), levels);
        std::size_t passed = 0;
        std::size_t sooner = 0;
        std::size_t wrong = 0;
        for (std::size_t level = 0; level < levels.size(); ++level) {
            const auto& a = trace.levels[level].stages_passed;
            const auto& b = later.levels[level].stages_passed;
            REQUIRE(a.size() == b.size());
            for (std::size_t i = 0; i < a.size(); ++i) {
                passed += a[i] == 9;
                sooner += a[i] < b[i];
                // Stages end at look-ups 2 and 8.
                const int end = a[i] <= 2 ? 2 : a[i] <= 8 ? 8 : 9;
                wrong += b[i] != end;
            }
        }
        CHECK(wrong == 0);
        CHECK(sooner > 10);
        CHECK(passed == windows.size());
    }
    CHECK(!scan_mct(cascade, scene.view(), mct_levels({160, 120}, {})).empty());
}

TEST_CASE("a cascade may have no coarse look-ups, or nothing else", "[train][trainer]") {
    TrainConfig config = small_training();
    config.cascade.coarse_lookups = 0;
    config.cascade.lookups = 8;
    const TrainingState fine = train(config);
    CHECK(fine.cascade.coarse_lookups() == 0);
    CHECK(kept_after(fine.cascade, shared_data().validation_faces).back() >= 1 - 0.02 - 1e-12);
    config.cascade.coarse_lookups = 8;
    CHECK(train(config).cascade.coarse_lookups() == 8);
}

TEST_CASE("hooks see every step, and may stop the training", "[train][trainer]") {
    const TrainConfig config = small_training();
    std::vector<std::size_t> steps;
    std::vector<JobRound> rounds;
    int engines = 0;
    int told = 0;
    JobHooks hooks;
    hooks.progress = [&](const JobProgress& now) {
        ++told;
        CHECK(now.total == 16);
        CHECK(now.unit == "look-ups");
        if (steps.empty() ? now.done > 0 : now.done > steps.back()) steps.push_back(now.done);
        if (!now.round.numbers.empty()) rounds.push_back(now.round);
    };
    const auto make_engine = [&](const MctCascade& cascade) {
        ++engines;
        return make_cpu_engine(cascade);
    };
    const TrainingState state = train(config, hooks, {}, 2, {}, make_engine);
    CHECK(steps == std::vector<std::size_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
    CHECK(engines >= 2);  // at the beginning and where fine look-ups begin
    CHECK(told >= 16 + engines);
    CHECK(engines == std::count_if(state.steps.begin(), state.steps.end(),
                                   [](const TrainingStep& step) { return step.windows_searched > 0; }));
    CHECK(state.steps[0].windows_searched > 0);
    CHECK(state.steps[4].windows_searched > 0);
    // A round is a step that negatives were mined for, with all of its numbers.
    REQUIRE(rounds.size() == static_cast<std::size_t>(engines));
    CHECK_THAT(rounds[0].text, Contains("1 look-ups: ") && Contains("% of the validation faces"));
    CHECK(rounds[0].is_detail);
    REQUIRE(rounds[0].numbers.size() == 7);
    CHECK(rounds[0].numbers[0] == std::pair<std::string, double>("lookups", 1));
    CHECK(rounds[0].numbers[1] == std::pair<std::string, double>("loss", state.steps[0].loss));
    CHECK(rounds[0].numbers[6].second == static_cast<double>(state.steps[0].windows_searched));

    struct Stop {};
    hooks.progress = [](const JobProgress& now) {
        if (now.done == 3) throw Stop{};
    };
    CHECK_THROWS_AS(train(config, hooks), Stop);
    std::atomic<bool> cancel{false};
    hooks.cancel = &cancel;
    std::size_t last = 0;
    hooks.progress = [&](const JobProgress& now) {
        last = now.done;
        cancel = last == 3;
    };
    CHECK_THROWS_AS(train(config, hooks), JobCancelled);
    CHECK(last == 3);
}

TEST_CASE("where no negatives are left, the training says so or ends early", "[train][trainer]") {
    TrainConfig config = small_training();
    TrainingData data;
    data.faces = shared_data().faces;
    data.validation_faces = shared_data().validation_faces;
    // Too small for any window.
    data.backgrounds = {{"small", noise(20, 20, 1), {}}};
    const std::string message = failure_of(config, data);
    CHECK_THAT(message, Contains("no negatives left") && Contains("only 0 windows") &&
                            Contains("20 are needed") && Contains("add backgrounds"));
    // One flat image: its windows are all alike and are gone once they are known.
    data.backgrounds = {{"flat", {120, 90, std::vector<std::uint8_t>(10'800, 90)}, {}}};
    config.cascade.lookups = 10;
    const TrainingState state = train_cascade(config, data, {}, {});
    CHECK(state.cascade.lookups.size() >= 1);
    CHECK(state.cascade.lookups.size() < 10);
    CHECK(state.steps.size() == state.cascade.lookups.size());
}
