// dlib's face recognition network: near the plain loops, and the same whatever is described together.

#include "kernels/face_embedding/face_resnet.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <stdexcept>

#include <catch2/catch.hpp>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include "kernels/core/buffer.hpp"
#include "kernels/face_embedding/vector_words.hpp"
#include "tests/support/face_resnets.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/images.hpp"
#include "tests/support/simd_targets.hpp"

using namespace fovea;
using Catch::Matchers::Contains;

namespace {

constexpr std::size_t face_pixels = face_resnet_side * face_resnet_side;

void append(std::vector<std::uint8_t>& faces, const std::vector<std::uint8_t>& face) {
    REQUIRE(face.size() == face_pixels);
    faces.insert(faces.end(), face.begin(), face.end());
}

std::vector<std::uint8_t> some_faces(std::size_t count) {
    std::vector<std::uint8_t> faces;
    for (std::size_t i = 0; i < count; ++i) {
        append(faces, i % 3 == 2 ? test::noise(150, 150, static_cast<std::uint32_t>(i)).pixels
                                 : test::drawn_face(i));
    }
    return faces;
}

std::vector<float> described(const FaceResnet& net, const std::vector<std::uint8_t>& faces) {
    std::vector<float> vectors(faces.size() / face_pixels * face_resnet_length, -1);
    net.describe(faces.data(), faces.size() / face_pixels, vectors.data());
    return vectors;
}

double length_of(const std::vector<double>& vector) {
    double squares = 0;
    for (const double value : vector) squares += value * value;
    return std::sqrt(squares);
}

bool has_fused_sums(const std::string& target) {
    return target.rfind("SSE", 0) != 0 && target.rfind("SSSE", 0) != 0 && target != "EMU128" &&
           target != "SCALAR";
}

}  // namespace

TEST_CASE("face resnet: vectors are those of plain loops on all instruction sets", "[face_resnet]") {
    const FaceResnetWeights weights = test::random_face_resnet(1);
    const FaceResnet net(Device::cpu(), weights);
    std::vector<std::uint8_t> faces;
    append(faces, test::drawn_face(3));
    append(faces, test::noise(150, 150, 5).pixels);
    append(faces, std::vector<std::uint8_t>(face_pixels, 255));
    std::vector<float> fused;
    for (const std::string& target : test::all_simd_targets()) {
        CAPTURE(target);
        const test::ForcedSimdTarget forced(target);
        const std::vector<float> vectors = described(net, faces);
        for (std::size_t face = 0; face < 3; ++face) {
            static std::vector<std::vector<double>> plain;
            if (plain.size() == face) {
                plain.push_back(test::plain_face_vector(weights, faces.data() + face * face_pixels));
            }
            const double length = length_of(plain[face]);
            REQUIRE(length > 0.1);
            for (std::size_t i = 0; i < face_resnet_length; ++i) {
                CAPTURE(face, i, length);
                REQUIRE(std::abs(vectors[face * face_resnet_length + i] - plain[face][i]) < 1e-5 * length);
            }
        }
        if (!has_fused_sums(target)) continue;
        if (fused.empty()) fused = vectors;
        REQUIRE(vectors == fused);
    }
}

TEST_CASE("face resnet: a vector does not depend on what is described with it", "[face_resnet]") {
    const FaceResnet net(Device::cpu(), test::random_face_resnet(2));
    constexpr std::size_t count = 37;
    const std::vector<std::uint8_t> faces = some_faces(count);
    std::vector<float> alone;
    for (std::size_t i = 0; i < count; ++i) {
        const auto first = faces.begin() + static_cast<std::ptrdiff_t>(i * face_pixels);
        const auto vector = described(net, {first, first + static_cast<std::ptrdiff_t>(face_pixels)});
        alone.insert(alone.end(), vector.begin(), vector.end());
    }
    // Different faces have different vectors.
    REQUIRE(std::set<float>(alone.begin(), alone.end()).size() > count * face_resnet_length / 2);
    const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism, 8);
    for (const int threads : {1, 2, 3, 8}) {
        tbb::task_arena arena(threads);
        for (const std::size_t together :
             {std::size_t{2}, std::size_t{3}, std::size_t{16}, std::size_t{17}, count}) {
            CAPTURE(threads, together);
            const std::vector<std::uint8_t> part(
                faces.begin(), faces.begin() + static_cast<std::ptrdiff_t>(together * face_pixels));
            const std::vector<float> expected(
                alone.begin(), alone.begin() + static_cast<std::ptrdiff_t>(together * face_resnet_length));
            arena.execute([&] { REQUIRE(described(net, part) == expected); });
        }
    }
}

TEST_CASE("face resnet: no face, and memory behind the last vector", "[face_resnet]") {
    const FaceResnet net(Device::cpu(), test::random_face_resnet(3));
    net.describe(nullptr, 0, nullptr);
    const std::vector<std::uint8_t> faces = some_faces(3);
    std::vector<float> vectors(4 * face_resnet_length, -7);
    net.describe(faces.data(), 3, vectors.data());
    CHECK(std::count(vectors.begin(), vectors.end(), -7.0F) ==
          static_cast<std::ptrdiff_t>(face_resnet_length));
    CHECK(std::count(vectors.end() - static_cast<std::ptrdiff_t>(face_resnet_length), vectors.end(), -7.0F) ==
          static_cast<std::ptrdiff_t>(face_resnet_length));
}

TEST_CASE("face resnet: faulty weights are refused with their place", "[face_resnet]") {
    const FaceResnetWeights good = test::random_face_resnet(4);
    const auto problem = [&](const std::function<void(FaceResnetWeights&)>& change) -> std::string {
        FaceResnetWeights weights = good;
        change(weights);
        try {
            const FaceResnet net(Device::cpu(), weights);
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "none";
    };
    CHECK(problem([](FaceResnetWeights&) {}) == "none");
    CHECK_THAT(problem([](FaceResnetWeights& w) { w.stem.weights.pop_back(); }),
               Contains("stem.weights must be 1568 numbers, but are 1567"));
    CHECK_THAT(problem([](FaceResnetWeights& w) { w.blocks[3][0].bias.push_back(0); }),
               Contains("blocks[3][0].bias must be 64 numbers, but are 65"));
    CHECK_THAT(problem([](FaceResnetWeights& w) { w.blocks[13][1].weights.clear(); }),
               Contains("blocks[13][1].weights must be 589824 numbers, but are 0"));
    CHECK_THAT(problem([](FaceResnetWeights& w) {
                   w.blocks[10][1].weights[77] = std::numeric_limits<float>::infinity();
               }),
               Contains("blocks[10][1].weights[77] must be a finite number"));
    CHECK_THAT(problem([](FaceResnetWeights& w) { w.projection.back() = std::nanf(""); }),
               Contains("projection[32767] must be a finite number"));
}

TEST_CASE("face resnet: a GPU's vectors are near the CPU's, alone and together", "[face_resnet][gpu]") {
    const auto device = test::gpu();
    if (!device) return;
    const FaceResnetWeights weights = test::random_face_resnet(5);
    constexpr std::size_t count = 37;
    const std::vector<std::uint8_t> faces = some_faces(count);
    const std::vector<float> expected = described(FaceResnet(Device::cpu(), weights), faces);
    const FaceResnet net(*device, weights);
    Buffer<std::uint8_t> pixels(*device, faces.size());
    pixels.upload(faces.data(), faces.size());
    Buffer<float> vectors(*device, (count + 1) * face_resnet_length);
    const auto describe = [&](std::size_t first, std::size_t faces_now) {
        std::vector<float> found((count + 1) * face_resnet_length, -7);
        vectors.upload(found.data(), found.size());
        net.describe(pixels.data() + first * face_pixels, faces_now, vectors.data());
        vectors.download(found.data(), found.size());
        // Memory behind the last vector is untouched.
        REQUIRE(found[faces_now * face_resnet_length] == -7);
        found.resize(faces_now * face_resnet_length);
        return found;
    };
    const std::vector<float> together = describe(0, count);
    for (std::size_t face = 0; face < count; ++face) {
        double squares = 0, differences = 0;
        for (std::size_t i = face * face_resnet_length; i < (face + 1) * face_resnet_length; ++i) {
            squares += expected[i] * static_cast<double>(expected[i]);
            differences += (together[i] - expected[i]) * static_cast<double>(together[i] - expected[i]);
        }
        CAPTURE(face, std::sqrt(differences / squares));
        CHECK(differences < 1e-10 * squares);
    }
    for (const std::size_t face : {std::size_t{0}, std::size_t{1}, std::size_t{19}, count - 1}) {
        const auto first = together.begin() + static_cast<std::ptrdiff_t>(face * face_resnet_length);
        CHECK(describe(face, 1) ==
              std::vector<float>(first, first + static_cast<std::ptrdiff_t>(face_resnet_length)));
    }
    std::vector<float> five = together;
    five.resize(5 * face_resnet_length);
    CHECK(describe(0, 5) == five);
}

TEST_CASE("face resnet: vectors become words", "[face_resnet]") {
    const std::vector<float> vectors{0, 1, -1, 0.5F, -0.25F, 2, -3}, mirrored{0, 0, -1, 0.5F, 0.25F, 0, -3};
    std::vector<std::uint16_t> words(vectors.size());
    round_vectors(Device::cpu(), vectors.data(), nullptr, vectors.size(), words.data());
    // In units of 1 / 32767: 16383.5 and -8191.75 are rounded.
    CHECK(words == std::vector<std::uint16_t>{0, 32767, 0x8001, 16384, static_cast<std::uint16_t>(-8192),
                                              32767, 0x8001});
    const std::vector<std::uint16_t> means{0, 16384, 0x8001, 16384, 0, 32767, 0x8001};
    round_vectors(Device::cpu(), vectors.data(), mirrored.data(), vectors.size(), words.data());
    CHECK(words == means);
    const auto device = test::gpu();
    if (!device) return;
    Buffer<float> on_gpu(*device, 2 * vectors.size());
    std::vector<float> both = vectors;
    both.insert(both.end(), mirrored.begin(), mirrored.end());
    on_gpu.upload(both.data(), both.size());
    Buffer<std::uint16_t> found(*device, vectors.size());
    round_vectors(*device, on_gpu.data(), on_gpu.data() + vectors.size(), vectors.size(), found.data());
    found.download(words.data(), words.size());
    CHECK(words == means);
}
