// The fast face network: equal to the plain one in every bit, on every instruction set.

#include "kernels/face_net/run_face_net.hpp"

#include <array>
#include <cmath>
#include <limits>

#include <catch2/catch.hpp>
#include <tbb/parallel_for.h>

#include "tests/support/face_nets.hpp"
#include "tests/support/images.hpp"
#include "tests/support/plain_face_net.hpp"
#include "tests/support/simd_targets.hpp"

using namespace fovea;

namespace {

constexpr float all_cells = -std::numeric_limits<float>::infinity();

// run() for each image, on all threads.
std::vector<std::vector<NetCell>> run_all(const FaceNetRunner& runner,
                                          const std::vector<ImageView<const std::uint8_t>>& images) {
    std::vector<std::vector<NetCell>> cells(images.size());
    tbb::parallel_for(std::size_t{0}, images.size(),
                      [&](std::size_t i) { cells[i] = runner.run(images[i], all_cells); });
    return cells;
}

void require_equal(const std::vector<NetCell>& cells, const std::vector<NetCell>& expected) {
    REQUIRE(cells.size() == expected.size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
        CAPTURE(i, expected[i].level, expected[i].row, expected[i].column);
        REQUIRE(cells[i] == expected[i]);
    }
}

void compare_on_all_targets(const FaceNet& net, ImageView<const std::uint8_t> image) {
    const auto expected = run_plain_face_net(net, image, all_cells);
    for (const std::string& target : test::all_simd_targets()) {
        CAPTURE(target);
        const test::ForcedSimdTarget forced(target);
        require_equal(run_face_net(net, image, all_cells), expected);
    }
}

std::size_t different_logits(const std::vector<NetCell>& cells) {
    std::set<float> logits;
    for (const NetCell& cell : cells) logits.insert(cell.logit);
    return logits.size();
}

}  // namespace

TEST_CASE("face network: all instruction sets give the bits of the plain one at every size", "[face_net]") {
    const FaceNet net = test::random_face_net({16, 32, 64}, 1);
    REQUIRE(!find_fault(net));
    for (const Size size :
         {Size{1, 1}, {31, 33}, {32, 32}, {33, 65}, {65, 33}, {1, 70}, {200, 2}, {417, 40}}) {
        CAPTURE(size.width, size.height);
        const GreyImage image = test::noise(size.width, size.height, 3);
        compare_on_all_targets(net, image.view());
    }
    // The comparison says something only if results differ from cell to cell.
    const GreyImage image = test::noise(200, 100, 4);
    const auto cells = run_face_net(net, image.view(), all_cells);
    REQUIRE(cells.size() == std::size_t{28 * 16 + 14 * 8 + 7 * 4});
    CHECK(different_logits(cells) > cells.size() / 2);
}

TEST_CASE("face network: every number of channels gives the bits of the plain one", "[face_net]") {
    const GreyImage image = test::noise(75, 40, 5);
    using Channels = std::array<int, 3>;
    for (const Channels channels : {Channels{16, 16, 16},
                                    {16, 32, 32},
                                    {32, 16, 48},
                                    {48, 80, 80},
                                    {64, 48, 96},
                                    {80, 96, 112},
                                    {128, 128, 128}}) {
        CAPTURE(channels);
        const FaceNet net = test::random_face_net(channels, 7);
        REQUIRE(!find_fault(net));
        compare_on_all_targets(net, image.view());
    }
}

TEST_CASE("face network: the largest weights, biases and scales give the bits of the plain one",
          "[face_net]") {
    FaceNet net = test::random_face_net({16, 32, 64}, 9);
    std::size_t turn = 0;
    visit_face_net_layers(net, [&](const FaceNetLayerPlace& place, FaceNetLayer& layer) {
        const auto taps = static_cast<std::size_t>(place.taps());
        const int most = place.kind == FaceNetLayerKind::pointwise ? 255 : 128;
        for (std::size_t output = turn++ % 3; output < layer.bias.size(); output += 7) {
            const auto first = layer.weights.begin() + static_cast<std::ptrdiff_t>(output * taps);
            const bool positive = output % 2 == 0;
            std::fill_n(first, taps, static_cast<std::int8_t>(positive ? 127 : -128));
            const int room = (1 << 24) - 1 - static_cast<int>(taps) * most * (positive ? 127 : 128);
            layer.bias[output] = positive ? room : -room;
            layer.scale[output] = positive ? face_net_max_scale : face_net_min_scale;
            if (output % 4 == 1) layer.scale[output] = 64.0F / static_cast<float>(room);
        }
    });
    REQUIRE(!find_fault(net));
    for (const int grey : {-1, 0, 255}) {
        CAPTURE(grey);
        GreyImage image = test::noise(70, 37, 11);
        if (grey >= 0) std::fill(image.pixels.begin(), image.pixels.end(), static_cast<std::uint8_t>(grey));
        compare_on_all_targets(net, image.view());
    }
}

TEST_CASE("face network: only cells of a high enough logit are kept, in order", "[face_net]") {
    const FaceNet net = test::random_face_net({16, 16, 32}, 13);
    const GreyImage image = test::noise(130, 90, 15);
    const auto all = run_face_net(net, image.view(), all_cells);
    std::vector<float> logits;
    for (const NetCell& cell : all) logits.push_back(cell.logit);
    std::sort(logits.begin(), logits.end());
    const float threshold = logits[logits.size() * 3 / 4];
    std::vector<NetCell> expected;
    for (const NetCell& cell : all) {
        if (cell.logit >= threshold) expected.push_back(cell);
    }
    REQUIRE(expected.size() >= all.size() / 4);
    require_equal(run_face_net(net, image.view(), threshold), expected);
    require_equal(run_plain_face_net(net, image.view(), threshold), expected);
    CHECK(run_face_net(net, image.view(), std::nextafter(logits.back(), 1e9F)).empty());
    const auto order = [](const NetCell& cell) { return std::tuple(cell.level, cell.row, cell.column); };
    for (std::size_t i = 1; i < all.size(); ++i) REQUIRE(order(all[i - 1]) < order(all[i]));
}

TEST_CASE("face network: a view into a larger image sees that part alone", "[face_net]") {
    const FaceNet net = test::random_face_net({16, 16, 32}, 17);
    GreyImage image = test::noise(90, 80, 19);
    const ImageView<const std::uint8_t> part{image.view().row(11) + 7, 50, 41, image.view().stride};
    const auto before = run_face_net(net, part, all_cells);
    require_equal(before, run_plain_face_net(net, part, all_cells));
    for (int y = 0; y < image.view().height; ++y) {
        for (int x = 0; x < image.view().width; ++x) {
            if (x >= 7 && x < 57 && y >= 11 && y < 52) continue;
            image.pixels[static_cast<std::size_t>(y) * 90 + static_cast<std::size_t>(x)] ^= 255;
        }
    }
    require_equal(run_face_net(net, part, all_cells), before);
}

TEST_CASE("face network: memory that was used before changes nothing", "[face_net]") {
    const FaceNet net = test::random_face_net({16, 16, 32}, 27);
    const FaceNetRunner runner(net);
    const GreyImage first = test::noise(70, 64, 29), second = test::noise(70, 64, 31);
    const GreyImage lower = test::noise(70, 40, 33);
    for (const GreyImage* image : {&first, &second, &first, &lower, &first, &lower, &lower}) {
        require_equal(runner.run(image->view(), all_cells),
                      run_plain_face_net(net, image->view(), all_cells));
    }
    const std::vector<ImageView<const std::uint8_t>> views(9, second.view());
    for (const auto& cells : run_all(runner, views)) {
        require_equal(cells, runner.run(second.view(), all_cells));
    }
}

TEST_CASE("face network: threads that share a runner get each image's cells", "[face_net]") {
    const FaceNetRunner runner(test::random_face_net({16, 16, 32}, 21));
    std::vector<GreyImage> images;
    std::vector<ImageView<const std::uint8_t>> views;
    for (int i = 0; i < 7; ++i) images.push_back(test::noise(20 + 30 * i, 100 - 10 * i, 23));
    for (const GreyImage& image : images) views.push_back(image.view());
    const auto batch = run_all(runner, views);
    REQUIRE(batch.size() == views.size());
    for (std::size_t i = 0; i < views.size(); ++i) require_equal(batch[i], runner.run(views[i], all_cells));
}

TEST_CASE("face network: faulty networks and empty images are refused", "[face_net]") {
    FaceNet net = test::random_face_net({16, 16, 16}, 25);
    const std::uint8_t pixel = 0;
    CHECK_THROWS_WITH(run_face_net(net, {&pixel, 0, 1, 1}, 0),
                      Catch::Matchers::Contains("at least one pixel"));
    CHECK_THROWS_AS(run_face_net(net, {&pixel, 1, 0, 1}, 0), std::invalid_argument);
    net.neck[2].pointwise.bias.pop_back();
    CHECK_THROWS_WITH(FaceNetRunner(net),
                      Catch::Matchers::Contains("/neck/2/pointwise/bias must be 16 numbers"));
}
