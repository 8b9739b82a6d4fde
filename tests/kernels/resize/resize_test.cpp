#include "kernels/resize/resize.hpp"

#include <catch2/catch.hpp>
#include <opencv2/imgproc.hpp>

#include "kernels/core/buffer.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/images.hpp"
#include "tests/support/simd_targets.hpp"

using namespace fovea;

namespace {

GreyImage resized(const GreyImage& source, Size size, const Device& device) {
    constexpr std::uint8_t guard = 0xA5;
    constexpr std::size_t margin = 64;
    const std::size_t count = static_cast<std::size_t>(size.width) * size.height;
    Buffer<std::uint8_t> input(device, source.pixels.size());
    Buffer<std::uint8_t> output(device, count + 2 * margin);
    std::vector<std::uint8_t> bytes(count + 2 * margin, guard);
    input.upload(source.pixels.data(), source.pixels.size());
    output.upload(bytes.data(), bytes.size());
    resize_linear(device, {input.data(), source.width, source.height, source.width},
                  {output.data() + margin, size.width, size.height, size.width});
    output.download(bytes.data(), bytes.size());
    for (std::size_t i = 0; i < margin; ++i) {
        REQUIRE(bytes[i] == guard);
        REQUIRE(bytes[margin + count + i] == guard);
    }
    return {
        size.width, size.height, {bytes.begin() + margin, bytes.begin() + margin + static_cast<long>(count)}};
}

GreyImage opencv_resized(const GreyImage& source, Size size) {
    const cv::Mat in(source.height, source.width, CV_8UC1, const_cast<std::uint8_t*>(source.pixels.data()));
    GreyImage result{size.width, size.height,
                     std::vector<std::uint8_t>(static_cast<std::size_t>(size.width) * size.height)};
    cv::Mat out(size.height, size.width, CV_8UC1, result.pixels.data());
    cv::resize(in, out, out.size(), 0, 0, cv::INTER_LINEAR_EXACT);
    REQUIRE(out.data == result.pixels.data());
    return result;
}

const std::vector<Size> edge_sizes{{1, 1},     {2, 1},     {1, 2},   {3, 5},    {15, 16},
                                   {16, 15},   {17, 17},   {31, 33}, {64, 1},   {1, 64},
                                   {127, 129}, {128, 128}, {129, 3}, {255, 77}, {300, 200}};

}  // namespace

TEST_CASE("resize: a value computed by hand", "[resize]") {
    // 4 pixels to 2: positions 0.5 and 2.5, so the means of neighbours; (10 + 21) / 2 = 15.5 rounds up.
    const GreyImage source{4, 1, {10, 21, 100, 200}};
    CHECK(resized(source, {2, 1}, Device::cpu()).pixels == std::vector<std::uint8_t>{16, 150});
    // 3 pixels to 2: positions 0.25 and 1.75, weights 64/256 and 192/256.
    const GreyImage three{3, 1, {0, 100, 255}};
    CHECK(resized(three, {2, 1}, Device::cpu()).pixels == std::vector<std::uint8_t>{25, 216});
    // Up: the outer pixels repeat the border.
    const GreyImage two{1, 2, {0, 255}};
    CHECK(resized(two, {1, 4}, Device::cpu()).pixels == std::vector<std::uint8_t>{0, 64, 191, 255});
}

TEST_CASE("resize: equal to OpenCV's INTER_LINEAR_EXACT for all pairs of edge sizes", "[resize][opencv]") {
    for (const Size from : edge_sizes) {
        const GreyImage source = test::noise(from.width, from.height, 3);
        for (const Size to : edge_sizes) {
            INFO(from.width << "x" << from.height << " to " << to.width << "x" << to.height);
            REQUIRE(resized(source, to, Device::cpu()).pixels == opencv_resized(source, to).pixels);
        }
    }
}

TEST_CASE("resize: equal to OpenCV's INTER_LINEAR_EXACT along a pyramid", "[resize][opencv]") {
    const GreyImage source = test::noise(640, 427, 5);
    for (const std::string& target : test::all_simd_targets()) {
        const test::ForcedSimdTarget forced(target);
        for (double scale = 1.05; scale < 20; scale *= 1.07) {
            const Size to{static_cast<int>(640 / scale), static_cast<int>(427 / scale)};
            INFO(target << " to " << to.width << "x" << to.height);
            REQUIRE(resized(source, to, Device::cpu()).pixels == opencv_resized(source, to).pixels);
        }
    }
}

TEST_CASE("resize: rows may be asked for in any order", "[resize]") {
    const GreyImage source = test::noise(97, 61, 9);
    const GreyImage whole = resized(source, {41, 33}, Device::cpu());
    RowResizer resizer(source.view(), {41, 33});
    for (const int y : {0, 5, 4, 32, 17, 17, 0, 31}) {
        const std::uint8_t* row = resizer.row(y);
        REQUIRE(std::equal(row, row + 41, whole.pixels.begin() + 41L * y));
    }
}

TEST_CASE("resize: shared column taps give the same rows", "[resize]") {
    const GreyImage source = test::noise(97, 61, 9);
    const ColumnTaps columns({97, 61}, {41, 61});
    REQUIRE(columns.size() == 41);
    RowResizer alone(source.view(), {41, 61});
    RowResizer sharing(source.view(), {41, 61}, columns);
    for (int y = 0; y < 61; ++y) {
        const std::uint8_t* expected = alone.row(y);
        REQUIRE(std::equal(expected, expected + 41, sharing.row(y)));
    }
    // Nothing is interpolated: rows are those of the source.
    CHECK(ColumnTaps({97, 61}, {97, 61}).empty());
    CHECK(RowResizer(source.view(), {97, 61}, ColumnTaps()).row(7) == source.view().row(7));
    CHECK_THROWS_AS(RowResizer(source.view(), {40, 61}, columns), std::invalid_argument);
    CHECK_THROWS_AS(RowResizer(source.view(), {41, 61}, ColumnTaps()), std::invalid_argument);
    CHECK_THROWS_AS(ColumnTaps({0, 61}, {41, 61}), std::invalid_argument);
}

TEST_CASE("resize: empty views are refused", "[resize]") {
    const GreyImage source = test::noise(4, 4, 1);
    std::uint8_t pixel = 0;
    CHECK_THROWS_AS(resize_linear(Device::cpu(), source.view(), {&pixel, 0, 1, 1}), std::invalid_argument);
    CHECK_THROWS_AS(resize_linear(Device::cpu(), {}, {&pixel, 1, 1, 1}), std::invalid_argument);
}

TEST_CASE("resize: CUDA equals the CPU", "[resize][cuda]") {
    const auto device = test::gpu();
    if (!device) return;
    for (const Size from : edge_sizes) {
        const GreyImage source = test::noise(from.width, from.height, 11);
        for (const Size to : edge_sizes) {
            INFO(from.width << "x" << from.height << " to " << to.width << "x" << to.height);
            REQUIRE(resized(source, to, *device).pixels == resized(source, to, Device::cpu()).pixels);
        }
    }
}
