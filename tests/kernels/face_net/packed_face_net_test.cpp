// The one multiply-add that makes results of sums: equal to the definition for every sum there can be.

#include "kernels/face_net/packed_face_net.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include <catch2/catch.hpp>

#include "kernels/face_net/face_net_body.hpp"
#include "tests/support/face_nets.hpp"

using namespace fovea;

namespace {

// The sum n as a fused multiply-add sees it.
int fused_result(const PackedResults& results, std::size_t output, std::int32_t n) {
    const std::int32_t bits = results.float_bias[output] - results.bias[output] + n;
    const float product = std::fma(std::bit_cast<float>(bits), results.scale[output], results.offset[output]);
    return static_cast<int>(std::rint(product));
}

// Compares all sums whose results are not clamped, and some of the others.
void compare(const FaceNetLayer& layer, FaceNetLayerKind kind, const PackedResults& results) {
    REQUIRE(results.is_fused);
    for (std::size_t output = 0; output < layer.bias.size(); ++output) {
        const float scale = layer.scale[output];
        const auto largest = static_cast<std::int32_t>(largest_sum(kind, layer, output));
        const auto dense = static_cast<std::int32_t>(std::min(300.0F / scale, static_cast<float>(largest)));
        for (std::int32_t n = -largest; n <= largest; n += std::abs(n) < dense ? 1 : largest / 100 + 1) {
            const int fused = fused_result(results, output, n);
            const bool is_equal = kind == FaceNetLayerKind::pointwise
                                      ? clamped(fused, -128, 127) == signed_result(n, scale)
                                      : clamped(fused, 0, 255) == relu_result(n, scale);
            if (is_equal) continue;
            CAPTURE(output, scale, n, fused);
            FAIL("another result");
        }
    }
}

}  // namespace

TEST_CASE("face network: one multiply-add gives the result of every sum", "[face_net]") {
    FaceNet net = test::random_face_net({16, 32, 64}, 41);
    // Scales of few bits have products that are halves.
    FaceNetLayer& layer = net.backbone[0].pointwise;
    const float scales[] = {0.5F, 0.25F, 0.375F, 0.0078125F, 1.0F, 3.0F, 64.0F, 0x1p-12F};
    std::copy(std::begin(scales), std::end(scales), layer.scale.begin());
    REQUIRE(!find_fault(net));
    const PackedFaceNet packed = pack_face_net(net);
    compare(net.stem, FaceNetLayerKind::stem, packed.stem.results);
    compare(layer, FaceNetLayerKind::pointwise, packed.backbone[0].pointwise.results);
    compare(net.backbone[1].pointwise, FaceNetLayerKind::pointwise, packed.backbone[1].pointwise.results);
    compare(net.neck[1].pointwise, FaceNetLayerKind::pointwise, packed.neck[1].pointwise.results);
}

TEST_CASE("face network: results keep two roundings where one could give another byte", "[face_net]") {
    FaceNet net = test::random_face_net({16, 16, 16}, 43);
    net.backbone[1].pointwise.scale[3] = 0x1p-13F;  // several sums are next to a half
    net.backbone[2].pointwise.bias[5] = 9000000;    // the sum is no float of 2^23 more
    net.backbone[4].pointwise.scale[2] = 0.1F;      // 0.1F · 5, a little more than a half, becomes a half
    net.backbone[3].depthwise.bias[7] = 9000000;
    net.backbone[3].depthwise.scale[7] = 0x1p-16F;  // 2^23 times this is no byte that is too large
    REQUIRE(!find_fault(net));
    const PackedFaceNet packed = pack_face_net(net);
    CHECK(packed.backbone[0].pointwise.results.is_fused);
    CHECK(!packed.backbone[1].pointwise.results.is_fused);
    CHECK(!packed.backbone[2].pointwise.results.is_fused);
    CHECK(!packed.backbone[4].pointwise.results.is_fused);
    CHECK(!packed.backbone[3].depthwise.results.is_fused);
}
