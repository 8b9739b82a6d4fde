#include "lib/train/face_net/face_net_trainer.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include <catch2/catch.hpp>

#include "kernels/core/stopwatch.hpp"
#include "kernels/face_net/run_face_net.hpp"
#include "lib/core/threads.hpp"
#include "lib/detect/face_net_model.hpp"
#include "lib/files/find_model.hpp"
#include "lib/train/face_net/clutter.hpp"
#include "lib/train/samples/sample_backgrounds.hpp"
#include "tests/support/gpu.hpp"

using namespace fovea;

namespace {

/// A dark photograph of noise, with a bright disc and a dark middle where a face is.
FacePhotograph disc(std::uint64_t seed) {
    CounterRandom random(seed);
    FacePhotograph photograph;
    photograph.image = {160, 120, {}};
    const double x = 40 + 80 * random.unit(), y = 35 + 50 * random.unit(), radius = 10 + 15 * random.unit();
    for (int row = 0; row < 120; ++row) {
        for (int column = 0; column < 160; ++column) {
            const double distance = std::hypot(column + 0.5 - x, row + 0.5 - y);
            const double level = distance < 0.4 * radius ? 60 : distance < radius ? 200 : 80;
            photograph.image.pixels.push_back(static_cast<std::uint8_t>(level + 30 * random.unit()));
        }
    }
    photograph.faces = {{x - radius, y - radius, 2 * radius, 2 * radius}};
    return photograph;
}

std::vector<PhotographSource> sources() {
    std::vector<PhotographSource> result(2);
    for (std::uint64_t i = 0; i < 12; ++i) result[0].photographs.push_back(disc(i));
    FacePhotograph empty = disc(100);
    for (std::uint8_t& pixel : empty.image.pixels) pixel = static_cast<std::uint8_t>(80 + pixel % 30);
    empty.faces = {};
    result[1].photographs.push_back(empty);
    result[1].share = 0.25;
    return result;
}

FaceNetSettings settings() {
    FaceNetSettings result;
    result.width = {16, 16};
    result.crops.side = 64;
    result.crops.max_face = 50;
    result.batch = 12;
    result.steps = 100;
    result.warm_up = 5;
    result.learning_rate = 1e-2;
    return result;
}

}  // namespace

TEST_CASE("face crops: a face lies where its truth says", "[face-net]") {
    const FacePhotograph photograph = disc(3);
    CropSettings crops;
    crops.side = 96;
    crops.contrast = crops.light = crops.max_noise = 0;
    std::vector<float> pixels(96 * 96);
    int seen = 0;
    for (std::uint64_t i = 0; i < 200; ++i) {
        const CropTruth truth = draw_crop({&photograph}, nullptr, crops, CounterRandom(9, i), pixels.data());
        if (truth.faces.empty()) continue;
        const Box& face = truth.faces[0];
        const Point centre = face.centre();
        CHECK(face.w / face.h == Approx(1).margin(0.25));
        if (face.x < 0 || face.y < 0 || face.x + face.w > 96 || face.y + face.h > 96 || face.w < 20) continue;
        const auto level = [&](double x, double y) {
            return 128 + 64 * pixels[static_cast<std::size_t>(y) * 96 + static_cast<std::size_t>(x)];
        };
        ++seen;
        // The dark middle, the bright ring.
        CHECK(level(centre.x, centre.y) < 130);
        CHECK(level(centre.x + 0.35 * face.w, centre.y) > 130);
        CHECK(level(centre.x, centre.y - 0.35 * face.h) > 130);
        if (face.x + 1.35 * face.w < 95) CHECK(level(face.x + 1.3 * face.w, centre.y) < 180);
    }
    CHECK(seen > 20);
    std::vector<float> again(96 * 96);
    draw_crop({&photograph}, nullptr, crops, CounterRandom(9, 199), again.data());
    CHECK(again == pixels);
}

TEST_CASE("face crops: beyond the border lies another photograph, and turned faces keep their ellipses",
          "[face-net]") {
    FacePhotograph dark, bright;
    dark.image = {40, 40, std::vector<std::uint8_t>(1600, 10)};
    dark.faces = {{10, 10, 16, 24}};
    bright.image = {400, 400, std::vector<std::uint8_t>(160000, 240)};
    CropSettings crops;
    crops.side = 96;
    crops.contrast = crops.light = crops.max_noise = crops.aspect = 0;
    crops.turn_deg = 30;
    crops.filled = 1;
    std::vector<float> pixels(96 * 96);
    const auto share = [&](double from, double to) {
        const auto count = std::count_if(pixels.begin(), pixels.end(), [&](float pixel) {
            const double level = 128 + 64 * pixel;
            return level > from && level < to;
        });
        return static_cast<double>(count) / (96 * 96);
    };
    for (std::uint64_t i = 0; i < 50; ++i) {
        const CropTruth truth = draw_crop({&dark}, &bright, crops, CounterRandom(1, i), pixels.data());
        // The photograph's shares of the crop lie at 10, the other's at 240; a blurred border between them,
        // and grey corners where both end.
        if (share(238, 242) + share(8, 12) < 0.6) continue;
        CHECK(share(238, 242) > 0);
        REQUIRE(truth.faces.size() == 1);
        const Box& face = truth.faces[0];
        // An ellipse of axes 2:3 is at most as long as its longer axis and at least as its shorter one.
        CHECK(face.h / face.w < 1.5 + 1e-9);
        CHECK(face.h / face.w > 2 / 3.0 - 1e-9);
    }
    draw_crop({&dark}, nullptr, crops, CounterRandom(1, 3), pixels.data());
    const std::vector<float> grey = pixels;
    draw_crop({&dark}, &bright, crops, CounterRandom(1, 3), pixels.data());
    CHECK(grey != pixels);
    crops.filled = 0;
    draw_crop({&dark}, &bright, crops, CounterRandom(1, 3), pixels.data());
    CHECK(grey == pixels);

    // A face turned by an angle a in a crop of the same scale: (w cos a, h sin a) is as long as the box is
    // wide.
    crops.turn_deg = 0;
    crops.min_face = crops.max_face = std::sqrt(16 * 24);
    const CropTruth upright = draw_crop({&dark}, nullptr, crops, CounterRandom(1, 4), pixels.data());
    CHECK(upright.faces.at(0).w == Approx(16));
    CHECK(upright.faces.at(0).h == Approx(24));
}

TEST_CASE("face crops: reduced copies give nearly the same crop", "[face-net]") {
    FacePhotograph photograph;
    photograph.image = {512, 384, {}};
    for (int y = 0; y < 384; ++y) {
        for (int x = 0; x < 512; ++x)
            photograph.image.pixels.push_back(
                static_cast<std::uint8_t>(128 + 60 * std::sin(x / 25.0) + 60 * std::cos(y / 31.0)));
    }
    photograph.faces = {{200, 150, 160, 160}};
    CropSettings crops;
    crops.side = 64;
    crops.min_face = crops.max_face = 30;
    std::vector<float> whole(64 * 64), halved(64 * 64);
    FacePhotograph copies = photograph;
    for (const int by : {2, 4}) copies.smaller.push_back(reduced(photograph.image, by));
    for (std::uint64_t i = 0; i < 20; ++i) {
        const CropTruth truth = draw_crop({&photograph}, nullptr, crops, CounterRandom(2, i), whole.data());
        const CropTruth same = draw_crop({&copies}, nullptr, crops, CounterRandom(2, i), halved.data());
        CHECK(truth.faces == same.faces);
        double difference = 0;
        for (std::size_t p = 0; p < whole.size(); ++p)
            difference += std::abs(static_cast<double>(whole[p] - halved[p])) * 64 / (64 * 64);
        CHECK(difference < 3);
    }
}

TEST_CASE("face crops: their bytes stay as they are", "[face-net]") {
    std::vector<FacePhotograph> photographs;
    for (std::uint64_t i = 0; i < 4; ++i) {
        photographs.push_back(disc(i));
        photographs.back().smaller = {reduced(photographs.back().image, 2)};
    }
    photographs[3].faces = {};
    CropSettings crops;
    crops.side = 96;
    crops.min_face = 8;
    std::vector<float> pixels(96 * 96);
    std::uint64_t hash = 0;
    for (std::uint64_t i = 0; i < 60; ++i) {
        draw_crop({&photographs[i % 4]}, i % 3 == 0 ? nullptr : &photographs[3], crops, CounterRandom(4, i),
                  pixels.data());
        for (const float pixel : pixels) hash = mixed(hash ^ std::bit_cast<std::uint32_t>(pixel));
    }
    CHECK(hash == 0xa517d88494926d34);
}

TEST_CASE("face crops: clutter is drawn where no face is", "[face-net]") {
    FacePhotograph grey;
    grey.image = {300, 300, std::vector<std::uint8_t>(90000, 100)};
    FacePhotograph face = grey;
    face.faces = {{120, 120, 60, 60}};
    CropSettings crops;
    crops.side = 96;
    crops.contrast = crops.light = crops.max_noise = crops.filled = 0;
    // Crops of which so many pixels are others; a blurred border of a photograph is a few of them.
    const auto changed = [&](const CropSubject& subject, std::size_t least) {
        std::size_t count = 0;
        std::vector<float> plain(96 * 96), pixels(96 * 96);
        for (std::uint64_t i = 0; i < 100; ++i) {
            crops.clutter = 0;
            draw_crop(subject, nullptr, crops, CounterRandom(7, i), plain.data());
            crops.clutter = 1;
            draw_crop(subject, nullptr, crops, CounterRandom(7, i), pixels.data());
            std::size_t others = 0;
            for (std::size_t p = 0; p < pixels.size(); ++p) others += pixels[p] != plain[p] ? 1 : 0;
            count += others >= least ? 1 : 0;
        }
        return count;
    };
    CHECK(changed({&face}, 1) == 0);
    const Box place{100, 100, 40, 40};
    CHECK(changed({&grey, &place}, 1) == 0);
    CHECK(changed({&grey}, 1500) > 40);
}

TEST_CASE("clutter is drawn in all levels, equally for equal random numbers", "[face-net]") {
    std::size_t covered = 0, darker = 0, lighter = 0;
    for (std::uint64_t i = 0; i < 200; ++i) {
        std::vector<float> pixels(64 * 64, 100), again = pixels;
        CounterRandom random(3, i), same(3, i);
        draw_clutter(64, random, pixels.data());
        draw_clutter(64, same, again.data());
        REQUIRE(pixels == again);
        for (const float pixel : pixels) {
            covered += pixel != 100 ? 1 : 0;
            darker += pixel < 50 ? 1 : 0;
            lighter += pixel > 200 ? 1 : 0;
        }
    }
    constexpr std::size_t all = std::size_t{200} * 64 * 64;
    CHECK(covered > all / 10);
    CHECK(covered < all * 4 / 5);
    CHECK(darker > all / 100);
    CHECK(lighter > all / 100);
}

TEST_CASE("face net trainer: the loss falls, and discs are found", "[face-net]") {
    std::vector<JobRound> rounds;
    std::size_t steps = 0;
    JobHooks hooks;
    hooks.progress = [&](const JobProgress& now) {
        CHECK(now.total == 100);
        if (now.round.numbers.empty())
            CHECK(now.done == ++steps);
        else
            rounds.push_back(now.round);
    };
    const FaceNetState state = train_face_net(settings(), sources(), {}, {}, hooks, {}, 20);
    const std::vector<FaceNetProgress>& reports = state.losses;
    CHECK(steps == 100);
    REQUIRE(reports.size() == 5);
    REQUIRE(rounds.size() == 5);
    CHECK_THAT(rounds[0].text, Catch::Contains("step 20: loss of odds "));
    CHECK(rounds[0].numbers ==
          std::vector<std::pair<std::string, double>>{{"step", 20},
                                                      {"odds_loss", reports[0].odds_loss},
                                                      {"box_loss", reports[0].box_loss},
                                                      {"faces", reports[0].faces}});
    CHECK(reports[0].step == 20);
    CHECK(reports[0].faces > 0.5);
    CHECK(reports[4].odds_loss + reports[4].box_loss < 0.8 * (reports[0].odds_loss + reports[0].box_loss));
    CHECK(state.parameters == state.averaged);
}

TEST_CASE("face net trainer: threads and checkpoints change nothing", "[face-net]") {
    FaceNetSettings few = settings();
    few.steps = 6;
    std::vector<FaceNetState> states;
    const auto save = [&](const FaceNetState& state) { states.push_back(state); };
    FaceNetState one, three;
    ThreadLimit(1).run([&] { one = train_face_net(few, sources(), {}, {}, {}, save, 3); });
    ThreadLimit(3).run([&] { three = train_face_net(few, sources(), {}, {}, {}); });
    CHECK(one.parameters == three.parameters);
    CHECK(one.statistics == three.statistics);
    REQUIRE(states.size() == 2);
    CHECK(states[0].step == 3);
    CHECK(train_face_net(few, sources(), states[0], {}, {}).parameters == one.parameters);
    std::atomic<bool> cancel{false};
    JobHooks hooks;
    hooks.cancel = &cancel;
    hooks.progress = [&](const JobProgress& now) { cancel = now.done == 4; };
    CHECK_THROWS_AS(train_face_net(few, sources(), {}, {}, hooks, save, 3), JobCancelled);
    REQUIRE(states.size() == 3);
    CHECK(states[2].parameters == states[0].parameters);
    few.seed = 2;
    CHECK(train_face_net(few, sources(), {}, {}, {}).parameters != one.parameters);

    CHECK_THROWS_AS(train_face_net(few, {}, {}, {}, {}), std::invalid_argument);
    few.width.trunk = 32;
    CHECK_THROWS_WITH(train_face_net(few, sources(), states[0], {}, {}),
                      Catch::Matchers::Contains("not that of this configuration"));
}

TEST_CASE("face net trainer: hard negatives are looked for as a whole or from a checkpoint", "[face-net]") {
    FaceNetSettings mining = settings();
    mining.steps = 12;
    mining.mining = {.share = 0.5, .interval = 5, .min_score = 0.01, .max_places = 40};
    std::vector<JobRound> rounds;
    JobHooks hooks;
    hooks.progress = [&](const JobProgress& now) {
        if (!now.round.numbers.empty()) rounds.push_back(now.round);
    };
    std::vector<FaceNetState> states;
    const auto save = [&](const FaceNetState& state) { states.push_back(state); };
    const FaceNetState whole = train_face_net(mining, sources(), {}, {}, hooks, save, 4);
    // The rounds end at 4, 8 and 12 steps, the searches are at 5 and 10.
    REQUIRE(rounds.size() == 5);
    CHECK_THAT(rounds[1].text,
               Catch::Contains("step 5: the network takes ") && Catch::Contains("other place"));
    CHECK(rounds[1].numbers[1] == std::pair<std::string, double>{"hard_negatives", 40});
    CHECK(rounds[3].numbers[0] == std::pair<std::string, double>{"step", 10});
    REQUIRE(states.size() == 3);
    CHECK(states[0].hard_negatives.empty());
    CHECK(states[1].hard_negatives.size() == 40);
    for (std::size_t i : {0, 1})
        CHECK(train_face_net(mining, sources(), states[i], {}, {}, {}, 4).parameters == whole.parameters);
    // A round that ends where a search is.
    states.clear();
    CHECK(train_face_net(mining, sources(), {}, {}, {}, save, 5).parameters == whole.parameters);
    CHECK(states[0].hard_negatives.empty());
    CHECK(train_face_net(mining, sources(), states[0], {}, {}, {}, 5).parameters == whole.parameters);

    mining.mining.share = 0;
    const FaceNetState without = train_face_net(mining, sources(), {}, {}, {});
    CHECK(without.hard_negatives.empty());
    CHECK(without.parameters != whole.parameters);
}

TEST_CASE("face net trainer: a teacher's scores are those of its network for the crop", "[face-net][cuda]") {
    constexpr std::size_t side = 96;
    std::vector<float> pixels(side * side), dark(side * side, -1);
    CounterRandom random(8);
    for (float& pixel : pixels) pixel = static_cast<float>(4 * random.unit() - 2);
    std::vector<CellTarget> targets(144 + 36 + 9), others(targets.size());
    targets[0].kind = CellTarget::Kind::ignored;
    NetTeacher teacher({"wild", 0.25}, {});
    teacher.teach(std::vector<TaughtCrop>{{pixels.data(), targets}, {dark.data(), others}}, side);
    if (const auto device = test::gpu()) {
        std::vector<CellTarget> by_gpu = targets;
        for (CellTarget& target : by_gpu) target.taught = target.trust = -1;
        NetTeacher({"wild", 0.25}, {{device->index()}})
            .teach(std::vector<TaughtCrop>{{pixels.data(), by_gpu}}, side);
        for (std::size_t i = 0; i < targets.size(); ++i) {
            CHECK(by_gpu[i].taught == targets[i].taught);
            CHECK(by_gpu[i].trust == targets[i].trust);
        }
    }

    // (level − 128) / 64 of 4 · u − 2 is a grey level of 256 · u, rounded.
    std::vector<std::uint8_t> levels(side * side);
    for (std::size_t i = 0; i < levels.size(); ++i)
        levels[i] = static_cast<std::uint8_t>(std::min(std::lround(pixels[i] * 64 + 128), 255L));
    const std::vector<NetCell> cells =
        run_face_net(read_face_net_model(find_model("wild")).net, {levels.data(), side, side, side}, -100);
    REQUIRE(cells.size() == targets.size());
    double most = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const double score = 1 / (1 + std::exp(-static_cast<double>(cells[i].logit)));
        most = std::max(most, score);
        if (score > 0.0011)
            CHECK(static_cast<double>(targets[i].taught) == Approx(score));
        else if (score < 0.0009)
            CHECK(targets[i].taught == 0);
        CHECK(targets[i].trust == (i == 0 ? 1 : 0.25F));
    }
    CHECK(most > 0.0011);
    CHECK(others[0].trust == 0.25F);
    CHECK_THROWS_AS(
        teacher.teach(std::vector<TaughtCrop>{{pixels.data(), std::span(targets).first(9)}}, side),
        std::invalid_argument);
}

TEST_CASE("face net trainer: a teacher changes what is learned", "[face-net]") {
    FaceNetSettings taught = settings();
    taught.steps = 3;
    const FaceNetState alone = train_face_net(taught, sources(), {}, {}, {});
    taught.teacher = {"wild", 0};
    // Cells that would be ignored learn.
    CHECK(train_face_net(taught, sources(), {}, {}, {}).parameters != alone.parameters);
    taught.teacher.model = "no-such-network";
    CHECK_THROWS_WITH(train_face_net(taught, sources(), {}, {}, {}), Catch::Contains("no-such-network"));
}

TEST_CASE("face net trainer: a GPU learns as the CPU does, and goes on from its checkpoint",
          "[face-net][net-training][cuda]") {
    const auto device = test::gpu();
    if (!device) return;
    const DetectionDevice on_gpu{{device->index()}};
    std::vector<FaceNetState> states;
    const auto save = [&](const FaceNetState& state) { states.push_back(state); };
    const FaceNetState cpu = train_face_net(settings(), sources(), {}, {}, {}, save, 20);
    const FaceNetState gpu = train_face_net(settings(), sources(), {}, on_gpu, {}, {}, 20);
    REQUIRE(gpu.losses.size() == 5);
    // The first steps are the same but for the order of sums.
    CHECK(gpu.losses[0].faces == cpu.losses[0].faces);
    CHECK(gpu.losses[0].odds_loss == Approx(cpu.losses[0].odds_loss).epsilon(0.05));
    CHECK(gpu.losses[4].odds_loss + gpu.losses[4].box_loss ==
          Approx(cpu.losses[4].odds_loss + cpu.losses[4].box_loss).epsilon(0.3));
    CHECK(gpu.parameters == gpu.averaged);
    CHECK(gpu.parameters != cpu.parameters);
    CHECK(train_face_net(settings(), sources(), {}, on_gpu, {}, {}, 7).parameters == gpu.parameters);

    REQUIRE(states.size() == 5);
    std::vector<FaceNetState> later;
    const FaceNetState continued = train_face_net(
        settings(), sources(), states[2], on_gpu, {},
        [&](const FaceNetState& state) { later.push_back(state); }, 20);
    REQUIRE(continued.losses.size() == 5);
    CHECK(continued.losses[2].odds_loss == cpu.losses[2].odds_loss);
    CHECK(continued.losses[3].odds_loss == Approx(cpu.losses[3].odds_loss).epsilon(0.1));
    // Its own checkpoint gives the same network as one go.
    CHECK(train_face_net(settings(), sources(), later[0], on_gpu, {}, {}, 20).parameters ==
          continued.parameters);
}

TEST_CASE("face net trainer: time of a step", "[.timing]") {
    FaceNetSettings real;
    real.steps = 6;
    JobHooks hooks;
    Stopwatch watch;
    hooks.progress = [&](const JobProgress& now) {
        WARN("step " << now.done << ": " << watch.seconds() << " s for 64 crops of 192x192");
        watch = {};
    };
    train_face_net(real, sources(), {}, {}, hooks);
}
