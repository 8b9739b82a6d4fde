#include "lib/train/mct/mine.hpp"

#include <catch2/catch.hpp>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include "kernels/mct/mct_engine.hpp"
#include "tests/lib/detect/mct_models.hpp"
#include "tests/lib/train/mct/synthetic_faces.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

// Every window passes.
MctCascade blind_cascade() {
    MctCascade cascade;
    add_lookup(cascade, {}, [](int) { return 1; });
    return cascade;
}

// A flat image with a bright spot that spot_model() finds.
Background spotted(int x, int y) {
    Background background{"spot", {100, 80, std::vector<std::uint8_t>(8000, 50)}, {}};
    for (int v = y; v < y + 6; ++v) {
        for (int u = x; u < x + 6; ++u) pixel_of(background.image, u, v) = 200;
    }
    return background;
}

std::vector<Background> grounds(int count) {
    return drawn_data(1, 1, count).backgrounds;
}

MinedNegatives mine(const MctCascade& cascade, const std::vector<Background>& backgrounds,
                    const MiningSettings& settings, int threads = 1) {
    tbb::task_arena arena(threads);
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(threads));
    return arena.execute([&] {
        const auto engine = make_cpu_engine(cascade);
        return mine_negatives(*engine, backgrounds, settings);
    });
}

MiningSettings everything(std::size_t count) {
    MiningSettings settings;
    settings.count = count;
    settings.expected_pass_rate = 1e-6;  // searched as finely as can be
    return settings;
}

}  // namespace

TEST_CASE("mined windows are those that the cascade takes for faces", "[train][mine]") {
    const MctCascade cascade = spot_model().cascade;
    const std::vector<Background> backgrounds{spotted(40, 30), spotted(61, 43)};
    const MinedNegatives mined = mine(cascade, backgrounds, everything(10'000));
    REQUIRE(mined.patches.size() > 20);
    CHECK(mined.windows_passed == mined.patches.size());
    CHECK(mined.windows_searched > 10'000);
    CHECK(mined.pass_rate() == double(mined.patches.size()) / double(mined.windows_searched));
    // They pass as patches, too: pixels, cell and level are those of the scan.
    for (const MctPatch& patch : mined.patches) CHECK(lookups_passed(cascade, patch) == 2);
    // All four places in a cell occur.
    int places = 0;
    for (const MctPatch& patch : mined.patches) places |= 1 << (patch.dy * 2 + patch.dx);
    CHECK(places == 15);
}

TEST_CASE("windows on faces are not taken", "[train][mine]") {
    const MctCascade cascade = spot_model().cascade;
    std::vector<Background> backgrounds{spotted(40, 30), spotted(61, 43)};
    const auto count = [&](double iou) {
        MiningSettings settings = everything(10'000);
        settings.max_face_iou = iou;
        return mine(cascade, backgrounds, settings).patches.size();
    };
    const std::size_t all = count(0.2);
    // The window of a 6-pixel spot is about 36 pixels; the middle of the first lies at (43, 33).
    backgrounds[0].faces = {{43 - 18, 33 - 18, 36, 36}};
    const std::size_t one = count(0.2);
    CHECK(one < all);
    CHECK(one > 0);
    CHECK(count(1) == all);
    CHECK(count(0.6) > one);
    backgrounds[1].faces = {{64 - 18, 46 - 18, 36, 36}};
    CHECK(count(0) == 0);
    CHECK(mine(cascade, backgrounds, everything(0)).patches.empty());
}

TEST_CASE("numbers are limited in all and by image", "[train][mine]") {
    const MctCascade cascade = blind_cascade();
    const auto backgrounds = grounds(4);
    MiningSettings settings = everything(10);
    CHECK(mine(cascade, backgrounds, settings).patches.size() == 10);
    settings.count = 1000;
    settings.max_per_image = 7;
    const MinedNegatives mined = mine(cascade, backgrounds, settings);
    CHECK(mined.patches.size() == 28);
    CHECK(mined.windows_passed == mined.windows_searched);
    CHECK(mined.pass_rate() == 1);
}

TEST_CASE("the sample depends on the seed and on nothing else", "[train][mine]") {
    const MctCascade cascade = blind_cascade();
    const auto backgrounds = grounds(40);
    MiningSettings settings;
    settings.count = 300;
    const MinedNegatives one = mine(cascade, backgrounds, settings, 1);
    const MinedNegatives four = mine(cascade, backgrounds, settings, 4);
    REQUIRE(one.patches.size() == 300);
    CHECK(same(one.patches, four.patches));
    CHECK(one.windows_searched == four.windows_searched);
    CHECK(one.windows_passed == four.windows_passed);
    settings.seed = 2;
    CHECK_FALSE(same(one.patches, mine(cascade, backgrounds, settings).patches));
}

TEST_CASE("few backgrounds are all searched, many only as far as is needed", "[train][mine]") {
    const MctCascade cascade = blind_cascade();
    MiningSettings settings;
    settings.count = 100;
    settings.max_per_image = 5;
    // An eighth of three images is none of them for most seeds.
    const auto few = grounds(3);
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        settings.seed = seed;
        CHECK(mine(cascade, few, settings).patches.size() == 15);
    }
    const auto many = grounds(200);
    const std::size_t sampled = mine(cascade, many, settings).patches.size();
    CHECK(sampled >= 5 * 8);
    CHECK(sampled <= 100);
    settings.expected_pass_rate = 1e-9;
    settings.count = 2000;
    CHECK(mine(cascade, many, settings).patches.size() == 1000);
}

TEST_CASE("mining reports its progress, which may stop it", "[train][mine]") {
    const MctCascade cascade = blind_cascade();
    const auto engine = make_cpu_engine(cascade);
    const auto backgrounds = grounds(40);
    std::vector<std::size_t> done;
    mine_negatives(*engine, backgrounds, everything(10), [&](std::size_t images, std::size_t all) {
        CHECK(all == 40);
        done.push_back(images);
    });
    CHECK(done == std::vector<std::size_t>{32, 40});
    struct Stop {};
    CHECK_THROWS_AS(
        mine_negatives(*engine, backgrounds, everything(10), [](std::size_t, std::size_t) { throw Stop{}; }),
        Stop);
    // Images that are too small for a window hold none.
    std::vector<Background> small(3);
    for (Background& background : small) background.image = noise(23, 40, 1);
    const MinedNegatives none = mine_negatives(*engine, small, everything(10));
    CHECK(none.patches.empty());
    CHECK(none.pass_rate() == 0);
}
