#include "lib/train/face_net/face_loss.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "lib/train/counter_random.hpp"

using namespace fovea;

namespace {

using Kind = CellTarget::Kind;

std::size_t count(const std::vector<CellTarget>& targets, Kind kind) {
    std::size_t found = 0;
    for (const CellTarget& target : targets) found += target.kind == kind ? 1 : 0;
    return found;
}

}  // namespace

TEST_CASE("face loss: which cells learn a face", "[face-net]") {
    // 20×20 pixels about (36, 36): the head of stride 8 alone. 0.75 strides are 6 pixels: cell centres at 36
    // ± 6.
    CropTruth truth;
    truth.faces = {{26, 26, 20, 20}};
    const std::vector<CellTarget> fine = cell_targets(truth, 0, 96);
    REQUIRE(fine.size() == 144);
    CHECK(count(fine, Kind::face) == 1);
    CHECK(fine[4 * 12 + 4].kind == Kind::face);
    CHECK(fine[4 * 12 + 4].face == CellBox{26, 26, 20, 20});
    // 1.8 times as far: 10.8 pixels, which the eight neighbours at 8 pixels are.
    CHECK(count(fine, Kind::ignored) == 8);
    CHECK(fine[4 * 12 + 3].kind == Kind::ignored);
    CHECK(fine[4 * 12 + 2].kind == Kind::background);
    CHECK(count(cell_targets(truth, 1, 96), Kind::background) == 36);
    CHECK(count(cell_targets(truth, 2, 96), Kind::background) == 9);

    // 30 pixels are learned by two heads.
    truth.faces = {{24, 24, 30, 30}};
    CHECK(count(cell_targets(truth, 0, 96), Kind::face) > 0);
    CHECK(count(cell_targets(truth, 1, 96), Kind::face) > 0);
    // 8 pixels are too few: nothing is learned there.
    truth.faces = {{32, 32, 8, 8}};
    CHECK(count(cell_targets(truth, 0, 96), Kind::face) == 0);
    CHECK(cell_targets(truth, 0, 96)[4 * 12 + 4].kind == Kind::ignored);
    CHECK(count(cell_targets(truth, 0, 96), Kind::ignored) == 1);
    // The smaller one of two.
    truth.faces = {{21, 21, 30, 30}, {26, 26, 20, 20}};
    CHECK(cell_targets(truth, 0, 96)[4 * 12 + 4].face == CellBox{26, 26, 20, 20});
    // Ignored boxes, and places that nobody looked at.
    truth.faces = {};
    truth.ignored = {{0, 0, 22, 22}};
    CHECK(count(cell_targets(truth, 0, 96), Kind::ignored) == 9);
    truth.is_complete = false;
    CHECK(count(cell_targets(truth, 0, 96), Kind::ignored) == 144);
    truth.ignored = {};
    truth.faces = {{26, 26, 20, 20}};
    // 10 pixels about the face: cells at 20 to 52.
    CHECK(count(cell_targets(truth, 0, 96), Kind::background) + 9 == 25);
}

TEST_CASE("face loss: values by hand", "[face-net]") {
    std::vector<CellTarget> targets(9);
    std::vector<float> numbers(9 * head_channels), gradient(numbers.size(), 5);
    // One face exactly where its cell (1, 1) of stride 32 has it: 64×64 about (48, 48).
    targets[4] = {Kind::face, {16, 16, 64, 64}};
    targets[0].kind = Kind::ignored;
    numbers[4 * head_channels] = 2;
    numbers[1 * head_channels] = -1;
    NetLosses sums = head_loss(targets, numbers.data(), 2, 96, gradient.data());
    CHECK(sums.boxes == Approx(0).margin(1e-12));
    // Face: log(1 + e^-2). Background of odds 1/2: 0.75/4 · log 2, six times; of e^-1: p = 0.26894.
    const double p = 1 / (1 + std::exp(1.0));
    const double wanted =
        std::log1p(std::exp(-2.0)) + 6 * 0.1875 * std::log(2.0) + 0.75 * p * p * std::log1p(std::exp(-1.0));
    CHECK(sums.odds == Approx(wanted));
    CHECK(gradient[0] == 0);
    CHECK(gradient[4 * head_channels] == Approx(1 / (1 + std::exp(-2.0)) - 1));
    CHECK(gradient[1 * head_channels] == Approx(0.75 * p * p * p));
    CHECK(gradient[2 * head_channels] == Approx(0.1875 * 0.5));
    CHECK(gradient[4 * head_channels + 1] == Approx(0).margin(1e-9));

    // 32 pixels away to the right: IoU 1/3, hull 96×64. 1 − 1/3 + 0.
    targets[4].face.x += 32;
    sums = head_loss(targets, numbers.data(), 2, 96, gradient.data());
    CHECK(sums.boxes == Approx(2.0 / 3));
    CHECK(gradient[4 * head_channels] == Approx(1 / (1 + std::exp(-2.0)) - 1.0 / 3));
}

TEST_CASE("face loss: a teacher's score mixes with what is known", "[face-net]") {
    std::vector<CellTarget> targets(9);
    for (CellTarget& target : targets) target.kind = Kind::ignored;
    std::vector<float> numbers(9 * head_channels), gradient(numbers.size());
    // Background of which the teacher says 0.5: a quarter of it is learned, with odds of 1/2.
    targets[0] = {Kind::background, {}, 0.5F, 0.25F};
    // An ignored cell learns the teacher's score alone.
    targets[1] = {Kind::ignored, {}, 0.75F, 1};
    // A face where its cell (1, 1) has it: the IoU of 1 and the teacher's 0.5, half and half.
    targets[4] = {Kind::face, {16, 16, 64, 64}, 0.5F, 0.5F};
    const NetLosses sums = head_loss(targets, numbers.data(), 2, 96, gradient.data());
    const double background = 0.75 * 0.375 * 0.375, ignored = 0.75 * 0.25 * 0.25;
    CHECK(sums.odds == Approx((background + ignored + 1) * std::log(2.0)));
    CHECK(gradient[0] == Approx(background * 0.375));
    CHECK(gradient[1 * head_channels] == Approx(ignored * -0.25));
    CHECK(gradient[4 * head_channels] == Approx(0.5 - 0.75));
    for (std::size_t n = 1; n < head_numbers; ++n) CHECK(gradient[1 * head_channels + n] == 0);
    CHECK(gradient[2 * head_channels] == 0);
}

TEST_CASE("face loss: the gradient of boxes is that of finite differences", "[face-net]") {
    CounterRandom random(5);
    int apart = 0;
    for (int round = 0; round < 200; ++round) {
        const auto drawn = [&](double from, double to) { return from + (to - from) * random.unit(); };
        std::vector<CellTarget> targets(9);
        for (CellTarget& target : targets) target.kind = Kind::ignored;
        targets[4] = {Kind::face, {drawn(0, 90), drawn(0, 90), drawn(10, 90), drawn(10, 90)}};
        std::vector<float> numbers(9 * head_channels), gradient(numbers.size()), other(numbers.size());
        for (std::size_t n = 1; n < head_numbers; ++n)
            numbers[4 * head_channels + n] = static_cast<float>(drawn(-0.8, 0.8));
        if (head_loss(targets, numbers.data(), 2, 96, gradient.data()).boxes > 1) ++apart;
        for (std::size_t n = 1; n < head_numbers; ++n) {
            double losses[2];
            const float step = 1e-4F;
            for (const int side : {0, 1}) {
                std::vector<float> moved = numbers;
                moved[4 * head_channels + n] += side == 0 ? -step : step;
                losses[side] = box_weight * head_loss(targets, moved.data(), 2, 96, other.data()).boxes;
            }
            CHECK((losses[1] - losses[0]) / (2.0 * static_cast<double>(step)) ==
                  Approx(gradient[4 * head_channels + n]).epsilon(0.02).margin(0.02));
        }
    }
    CHECK(apart > 3);
}
