// Operations of a face network in plain steps: values computed by hand.

#include "tests/support/plain_face_net.hpp"

#include <limits>

#include <catch2/catch.hpp>

#include "kernels/face_net/face_net_body.hpp"
#include "tests/support/face_nets.hpp"

using namespace fovea;
using Catch::Matchers::Contains;

namespace {

// Kernels of 3×3 with one weight each.
std::vector<std::int8_t> single_weights(const std::vector<std::pair<int, int>>& taps_and_weights) {
    std::vector<std::int8_t> weights(9 * taps_and_weights.size());
    for (std::size_t i = 0; i < taps_and_weights.size(); ++i) {
        weights[9 * i + static_cast<std::size_t>(taps_and_weights[i].first)] =
            static_cast<std::int8_t>(taps_and_weights[i].second);
    }
    return weights;
}

template <class T>
NetMap<T> map_of(Size size, int channels, const std::vector<T>& values) {
    NetMap<T> map(size, channels);
    REQUIRE(values.size() == map.values.size());
    map.values = values;
    return map;
}

}  // namespace

TEST_CASE("face network: results are rounded to even and clamped", "[face_net]") {
    CHECK(relu_result(5, 0.5F) == 2);
    CHECK(relu_result(7, 0.5F) == 4);
    CHECK(relu_result(-7, 0.5F) == 0);
    CHECK(relu_result(511, 0.5F) == 255);
    CHECK(relu_result(509, 0.5F) == 254);
    CHECK(relu_result((1 << 24) - 1, 64) == 255);
    CHECK(signed_result(5, 0.5F) == 2);
    CHECK(signed_result(-7, 0.5F) == -4);
    CHECK(signed_result(255, 0.5F) == 127);
    CHECK(signed_result(-257, 0.5F) == -128);
    CHECK(signed_result(-259, 0.5F) == -128);
    CHECK(signed_result(1 - (1 << 24), 64) == -128);
    // 3 · 0.1F is a little more than 0.3, but the product is rounded: 15 · 0.1F = 1.5 exactly.
    CHECK(relu_result(15, 0.1F) == 2);
    CHECK(relu_result(25, 0.1F) == 2);
    CHECK(sum_result(3, 0.5F, 2, 0.5F) == 2);     // 2.5
    CHECK(sum_result(200, 1, 56, 1) == 255);      // 256
    CHECK(sum_result(255, 0x1p-60F, 7, 1) == 7);  // far below a half
}

TEST_CASE("face network: the stem on hand-computed pixels", "[face_net]") {
    // Weights at the kernel's centre, its top left and its bottom right, and one whose result is negative.
    const FaceNetLayer stem{
        single_weights({{4, 10}, {0, 3}, {8, 11}, {4, -10}}), {1, 2, 1, 0}, {0.5F, 1, 0.5F, 1}};
    const std::uint8_t one = 130;
    const ByteMap single = plain_stem(stem, {&one, 1, 1, 1});
    REQUIRE(single.size == Size{16, 16});
    CHECK(single.at(0, 0, 0) == 10);  // (2 · 10 + 1) / 2
    CHECK(single.at(0, 0, 1) == 2);   // the bias: beyond the border
    CHECK(single.at(0, 0, 2) == 0);   // 0.5: to even
    CHECK(single.at(0, 0, 3) == 0);
    CHECK(single.at(0, 1, 0) == 0);  // the continued image is 128
    CHECK(single.at(15, 15, 1) == 2);

    std::vector<std::uint8_t> pixels(33 * 2, 128);
    pixels[33 + 1] = 133;   // row 1, column 1
    pixels[33 + 32] = 138;  // row 1, column 32
    const ByteMap map = plain_stem(stem, {pixels.data(), 33, 2, 33});
    REQUIRE(map.size == Size{32, 16});
    CHECK(map.at(0, 0, 2) == 28);  // bottom right of (0, 0): (5 · 11 + 1) / 2
    CHECK(map.at(1, 1, 1) == 17);  // top left of (1, 1), which reads rows and columns 1...3: 5 · 3 + 2
    CHECK(map.at(0, 16, 0) == 0);  // row 0 is its centre
    CHECK(map.at(1, 16, 1) == 2);  // column 31 is its left
    CHECK(map.at(1, 17, 1) == 2);  // column 33
    CHECK(map.at(0, 16, 2) == 0);  // column 33, beyond the image
}

TEST_CASE("face network: layers on hand-computed values", "[face_net]") {
    const FaceNetLayer mix{{1, 2, 3, -4, -128, -128}, {10, 0, 5}, {1, 0.5F, 0.01F}};
    const SignedMap mixed = plain_pointwise(mix, map_of<std::uint8_t>({2, 1}, 2, {7, 9, 255, 200}));
    // 7 + 18 + 10; (21 - 36) / 2 = -7.5 to even; (-2048 + 5) / 100 = -20.43
    // 255 + 400 + 10; (765 - 800) / 2 = -17.5 to even; (-58240 + 5) / 100
    CHECK(mixed.values == std::vector<std::int8_t>{35, -8, -20, 127, -18, -128});

    // Weights 1...9: the value at the centre and its right and lower neighbours.
    const FaceNetLayer blur{{1, 2, 3, 4, 5, 6, 7, 8, 9}, {-3}, {1}};
    CHECK(plain_depthwise(blur, map_of<std::int8_t>({1, 1}, 1, {4})).values ==
          std::vector<std::uint8_t>{17});  // 4 · 5 - 3
    const ByteMap square = plain_depthwise(blur, map_of<std::int8_t>({2, 2}, 1, {1, 2, 3, -4}));
    // 5 + 12 + 24 - 36 - 3; 4 + 10 + 21 - 32 - 3; 2 + 6 + 15 - 24 - 3 < 0; 1 + 4 + 12 - 20 - 3 < 0
    CHECK(square.values == std::vector<std::uint8_t>{2, 0, 0, 0});
    const FaceNetLayer two{single_weights({{1, 100}, {3, 1}}), {0, 0}, {1, 1}};  // above, left
    CHECK(plain_depthwise(two, map_of<std::int8_t>({2, 2}, 2, {3, 5, 1, 6, 0, 7, 0, 8})).values ==
          std::vector<std::uint8_t>{0, 0, 0, 5, 255, 0, 100, 7});
    CHECK(plain_outputs(blur, map_of<std::int8_t>({2, 1}, 1, {-1, 2})).values == std::vector<float>{4, 3});
}

TEST_CASE("face network: pooling and sums on hand-computed values", "[face_net]") {
    CHECK(plain_pool(map_of<std::uint8_t>({4, 2}, 1, {1, 2, 9, 3, 4, 0, 5, 255})).values ==
          std::vector<std::uint8_t>{4, 255});
    CHECK(plain_pool(map_of<std::uint8_t>({2, 2}, 2, {1, 8, 2, 7, 3, 6, 4, 5})).values ==
          std::vector<std::uint8_t>{4, 8});
    const ByteMap fine = map_of<std::uint8_t>({4, 2}, 1, {0, 1, 2, 3, 4, 5, 6, 255});
    const ByteMap coarse = map_of<std::uint8_t>({2, 1}, 1, {10, 20});
    // fine / 2 + coarse / 4
    CHECK(plain_sum({0.5F, 0.25F}, fine, coarse).values ==
          std::vector<std::uint8_t>{2, 3, 6, 6, 4, 5, 8, 132});
}

TEST_CASE("face network: every fault is found, and sums are proven to be exact", "[face_net]") {
    const FaceNet good = test::random_face_net({16, 16, 32}, 5);
    CHECK(!find_fault(good));
    const auto fault = [&](const auto& spoil) {
        FaceNet net = good;
        spoil(net);
        const auto found = find_fault(net);
        return found ? found->pointer + " " + found->rule : "none";
    };
    CHECK_THAT(fault([](FaceNet& net) { net.channels = 40; }),
               Contains("/channels must be a multiple of 16 from 16 to 128, but is 40"));
    CHECK_THAT(fault([](FaceNet& net) { net.channels = 144; }), Contains("/channels"));
    CHECK_THAT(fault([](FaceNet& net) { net.channels = 0; }), Contains("/channels"));
    CHECK_THAT(fault([](FaceNet& net) { net.stem_channels = 48; }),
               Contains("/stem_channels must be a multiple of 16 from 16 to the channels, 32, but is 48"));
    CHECK_THAT(fault([](FaceNet& net) { net.quarter_channels = 24; }),
               Contains("/quarter_channels must be a multiple of 16 from 16 to the channels, 32, but is 24"));
    CHECK_THAT(fault([](FaceNet& net) { net.stem.weights.pop_back(); }),
               Contains("/stem/weights must be 144 numbers, but are 143"));
    CHECK_THAT(fault([](FaceNet& net) { net.backbone[1].pointwise.weights.clear(); }),
               Contains("/backbone/1/pointwise/weights must be 256 numbers, but are 0"));
    CHECK_THAT(fault([](FaceNet& net) { net.heads[2][1].pointwise.bias.push_back(1); }),
               Contains("/heads/2/1/pointwise/bias must be 5 numbers, but are 6"));
    CHECK_THAT(fault([](FaceNet& net) { net.neck[1].depthwise.scale.resize(16); }),
               Contains("/neck/1/depthwise/scale must be 32 numbers, but are 16"));
    CHECK_THAT(fault([](FaceNet& net) { net.neck[1].depthwise.scale[3] = 65; }),
               Contains("/neck/1/depthwise/scale/3 must be from 2^-60 to 64, but is 65"));
    CHECK_THAT(fault([](FaceNet& net) { net.neck[1].depthwise.scale[3] = 0; }), Contains("but is 0"));
    CHECK_THAT(fault([](FaceNet& net) { net.sums[1].fine_scale = std::numeric_limits<float>::quiet_NaN(); }),
               Contains("/sums/1/fine_scale must be from"));
    CHECK_THAT(fault([](FaceNet& net) { net.sums[0].coarse_scale = -1; }), Contains("/sums/0/coarse_scale"));

    // A pointwise sum: 31 · 255 and a bias. A depthwise one: 128 · 9 · 128 and a bias.
    const auto pointwise_fault = [&](int bias) {
        return fault([&](FaceNet& net) {
            FaceNetLayer& layer = net.neck[0].pointwise;
            std::fill_n(layer.weights.begin(), 32, std::int8_t{1});
            layer.weights[7] = 0;
            layer.bias[0] = bias;
        });
    };
    constexpr int limit = 1 << 24;
    CHECK(pointwise_fault(limit - 1 - 31 * 255) == "none");
    CHECK(pointwise_fault(-(limit - 1 - 31 * 255)) == "none");
    CHECK_THAT(
        pointwise_fault(limit - 31 * 255),
        Contains("/neck/0/pointwise the sum of output 0 can reach 16777216, but must stay below 2^24"));
    const auto depthwise_fault = [&](int bias) {
        return fault([&](FaceNet& net) {
            FaceNetLayer& layer = net.neck[0].depthwise;
            std::fill_n(layer.weights.begin() + 9, 9, std::int8_t{-128});
            layer.bias[1] = bias;
        });
    };
    CHECK(depthwise_fault(limit - 1 - 9 * 128 * 128) == "none");
    CHECK_THAT(depthwise_fault(9 * 128 * 128 - limit), Contains("/neck/0/depthwise the sum of output 1"));
    CHECK_THAT(fault([](FaceNet& net) { net.stem.bias[2] = std::numeric_limits<std::int32_t>::min(); }),
               Contains("/stem the sum of output 2"));
}

TEST_CASE("face network: cells cover the continued image", "[face_net]") {
    CHECK(face_net_cells({1, 1}, 0) == Size{4, 4});
    CHECK(face_net_cells({1, 1}, 2) == Size{1, 1});
    CHECK(face_net_cells({32, 33}, 1) == Size{2, 4});
    CHECK(face_net_cells({1920, 1080}, 0) == Size{240, 136});
    CHECK(face_net_cells({1920, 1080}, 2) == Size{60, 34});
}
