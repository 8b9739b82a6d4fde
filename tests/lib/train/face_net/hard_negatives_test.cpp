#include "lib/train/face_net/hard_negatives.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include <catch2/catch.hpp>

#include "lib/core/overlap.hpp"
#include "lib/core/threads.hpp"
#include "lib/detect/face_net_detector.hpp"
#include "tests/support/face_nets.hpp"
#include "tests/support/images.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

FacePhotograph noise(unsigned seed, int width = 150) {
    FacePhotograph photograph;
    photograph.image = smooth_noise(width, 110, 6, seed);
    return photograph;
}

/// A dark photograph with a bright square, the only bright thing of all photographs.
FacePhotograph square(int x, int y, int side) {
    FacePhotograph photograph;
    photograph.image = {800, 800, std::vector<std::uint8_t>(640000, 20)};
    for (int row = y; row < y + side; ++row)
        std::fill_n(photograph.image.pixels.begin() + row * 800 + x, side, std::uint8_t{250});
    return photograph;
}

std::size_t bright_pixels(const std::vector<float>& pixels) {
    return static_cast<std::size_t>(
        std::count_if(pixels.begin(), pixels.end(), [](float pixel) { return pixel > 1; }));
}

}  // namespace

TEST_CASE("hard negatives: what a network finds beside the faces, by falling score", "[face-net]") {
    const FaceNet net = random_face_net({16, 16, 16}, 7);
    HardNegativeSettings settings;
    settings.min_score = 0.1;
    std::vector<PhotographSource> sources(2);
    // More photographs than are worked on at once.
    for (unsigned i = 0; i < 70; ++i) sources[0].photographs.push_back(noise(i));
    sources[1].photographs = {noise(100), noise(101, 700)};
    DetectorOptions options;
    options.min_score = settings.min_score;
    const FaceNetDetector detector({.name = {}, .net = net, .score = {}, .training = {}});
    std::size_t found = 0;
    for (const PhotographSource& source : sources) {
        for (const FacePhotograph& photograph : source.photographs)
            found += detector.detect({{photograph.image.view()}}, options)[0].size();
    }
    const std::vector<HardNegative> all = find_hard_negatives(net, sources, settings, {});
    REQUIRE(all.size() == found);
    REQUIRE(found > 100);
    for (std::size_t i = 1; i < all.size(); ++i) CHECK(all[i].score <= all[i - 1].score);
    CHECK(all.back().score >= 0.1);
    const auto of_photograph = [](const std::vector<HardNegative>& places, std::size_t source,
                                  std::size_t photograph) {
        std::vector<Box> boxes;
        for (const HardNegative& place : places) {
            if (place.source == source && place.photograph == photograph) boxes.push_back(place.box);
        }
        return boxes;
    };
    const std::vector<Box> before = of_photograph(all, 1, 1);
    REQUIRE(before.size() > 2);
    CHECK(before[0] == detector.detect({{sources[1].photographs[1].image.view()}}, options)[0][0].box);

    // Annotated faces and ignored places are no negatives, nor is what they cover by a fifth.
    sources[1].photographs[1].faces = {before[0]};
    sources[1].photographs[1].ignored = {before[1]};
    const std::vector<HardNegative> fewer = find_hard_negatives(net, sources, settings, {});
    const std::vector<Box> after = of_photograph(fewer, 1, 1);
    std::vector<Box> expected;
    for (const Box& box : before) {
        const double most = std::max(shared_box(before[0], box).area(), shared_box(before[1], box).area());
        if (most < 0.2 * box.area()) expected.push_back(box);
    }
    CHECK(after == expected);
    CHECK(after.size() + 2 <= before.size());
    CHECK(of_photograph(fewer, 0, 3) == of_photograph(all, 0, 3));

    // Elsewhere in an incompletely annotated photograph may be faces.
    sources[1].photographs[1].is_complete = false;
    CHECK(of_photograph(find_hard_negatives(net, sources, settings, {}), 1, 1).empty());

    settings.max_places = 10;
    std::vector<HardNegative> one;
    ThreadLimit(1).run([&] { one = find_hard_negatives(net, sources, settings, {}); });
    REQUIRE(one.size() == 10);
    for (std::size_t i = 0; i < 10; ++i) CHECK(one[i].score == fewer[i].score);

    const std::atomic<bool> cancel{true};
    JobHooks hooks;
    hooks.cancel = &cancel;
    CHECK_THROWS_AS(find_hard_negatives(net, sources, settings, hooks), JobCancelled);
}

TEST_CASE("crops show hard negatives as often as asked for, those of high scores more often", "[face-net]") {
    std::vector<PhotographSource> sources(2);
    FacePhotograph dark;
    dark.image = {800, 800, std::vector<std::uint8_t>(640000, 20)};
    dark.faces = {{380, 380, 40, 40}};
    sources[0].photographs = {dark};
    sources[1].photographs = {square(330, 420, 20), square(420, 330, 40)};
    sources[1].share = 0;
    CropSettings settings;
    settings.side = 64;
    settings.min_face = settings.max_face = 20;
    settings.contrast = settings.light = settings.max_noise = settings.filled = settings.aspect = 0;
    settings.turn_deg = 0;
    CropDrawer drawer(sources, settings, 3);
    std::vector<float> before(64 * 64), pixels(64 * 64);
    drawer.draw(0, 0, before.data());
    drawer.show_often({}, 0.5);
    drawer.draw(0, 0, pixels.data());
    CHECK(pixels == before);

    // The second place is drawn at half its size: both fill about 400 pixels of a crop that holds them.
    drawer.show_often({{1, 0, {330, 420, 20, 20}, 0.25}, {1, 1, {420, 330, 40, 40}, 0.75}}, 0.5);
    std::size_t shown = 0, whole = 0;
    for (std::uint64_t i = 0; i < 400; ++i) {
        const CropTruth truth = drawer.draw(1, i, pixels.data());
        const std::size_t bright = bright_pixels(pixels);
        if (truth.faces.empty()) {
            ++shown;
            CHECK(bright > 20);
            CHECK(bright < 520);
            whole += bright > 330 ? 1 : 0;
        } else {
            CHECK(bright < 60);
        }
    }
    // Half of 400, with a standard deviation of 10.
    CHECK(shown > 160);
    CHECK(shown < 240);
    CHECK(whole > shown / 3);

    settings.side = 192;
    CropDrawer wide(sources, settings, 3);
    wide.show_often({{1, 0, {400, 700, 20, 20}, 0.001}, {1, 1, {420, 330, 40, 40}, 0.999}}, 0.999);
    std::vector<float> large(192 * 192);
    std::size_t second = 0;
    for (std::uint64_t i = 0; i < 100; ++i) {
        wide.draw(1, i, large.data());
        second += bright_pixels(large) > 20 ? 1 : 0;
    }
    CHECK(second > 95);
    CHECK_THROWS_AS(drawer.show_often({{1, 2, {}, 1}}, 0.5), std::invalid_argument);
}

TEST_CASE("a mosaic shows four crops, and what is known of their faces", "[face-net]") {
    std::vector<PhotographSource> sources(1);
    FacePhotograph photograph = square(380, 380, 40);
    photograph.faces = {{380, 380, 40, 40}};
    sources[0].photographs = {photograph};
    CropSettings settings;
    settings.side = 128;
    settings.min_face = settings.max_face = 40;
    settings.contrast = settings.light = settings.max_noise = settings.filled = settings.aspect = 0;
    settings.turn_deg = 0;
    settings.mosaic = 1;
    const CropDrawer drawer(sources, settings, 5);
    std::vector<float> pixels(128 * 128);
    std::size_t learned = 0, cut = 0;
    for (std::uint64_t i = 0; i < 100; ++i) {
        const CropTruth truth = drawer.draw(0, i, pixels.data());
        CHECK(truth.is_complete);
        learned += truth.faces.size();
        cut += truth.ignored.size();
        CHECK(truth.faces.size() + truth.ignored.size() <= 4);
        for (const Box& face : truth.faces) {
            const auto x = static_cast<std::size_t>(face.centre().x),
                       y = static_cast<std::size_t>(face.centre().y);
            REQUIRE(std::max(x, y) < 128);
            CHECK(pixels[y * 128 + x] > 1);
            CHECK(face.w == Approx(40));
        }
        for (const Box& box : truth.ignored) {
            // Inside one of the four.
            CHECK(static_cast<int>(box.x) / 64 == static_cast<int>(box.x + box.w - 1e-9) / 64);
            CHECK(box.area() < 0.99 * 1600);
        }
    }
    CHECK(learned > 150);
    CHECK(cut > 10);

    sources[0].photographs[0].is_complete = false;
    const CropTruth truth = drawer.draw(0, 0, pixels.data());
    CHECK(truth.is_complete);
    CHECK(std::count(truth.ignored.begin(), truth.ignored.end(), Box{64, 0, 64, 64}) == 1);
}
