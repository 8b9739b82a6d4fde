// The kernels of a face network, run on the CPU by blocks whose threads take turns: tests/support/host_cuda.

#include "kernels/face_net/gpu_face_net_kernels.cuh"

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

#include <catch2/catch.hpp>

#include "lib/image/formats/image.hpp"
#include "tests/support/face_nets.hpp"
#include "tests/support/host_cuda/block_of_threads.hpp"
#include "tests/support/images.hpp"
#include "tests/support/plain_face_net.hpp"

namespace fovea::cuda_backend {

/// The shared memory of a block.
alignas(16) uint4 shared[1 << 14];

}  // namespace fovea::cuda_backend

using namespace fovea;
using namespace fovea::test;
using namespace fovea::cuda_backend;

namespace {

using Bytes = std::vector<uint4>;  // aligned as the kernels read

Bytes bytes_for(std::size_t count) {
    return Bytes((count + sizeof(uint4) - 1) / sizeof(uint4), make_uint4(0, 0, 0, 0));
}

/// An image behind others in a batch: places are not 0.
NetImage placed(const GreyImage& image, std::uint32_t first_cell) {
    const Size cells = face_net_cells({image.width, image.height}, 2);
    return {image.pixels.data(), image.width,  image.width, image.height,
            cells.width,         cells.height, first_cell};
}

UnitWeights weights_at(const Bytes& words, const NetUnitPlace& place) {
    const auto* at = reinterpret_cast<const std::uint32_t*>(words.data());
    return {place.inputs,
            place.outputs,
            reinterpret_cast<const uint4*>(at + place.pointwise),
            reinterpret_cast<const int4*>(at + place.pointwise_bias),
            reinterpret_cast<const float4*>(at + place.pointwise_scale),
            reinterpret_cast<const uint4*>(at + place.depthwise),
            reinterpret_cast<const int4*>(at + place.depthwise_bias),
            reinterpret_cast<const float4*>(at + place.depthwise_scale)};
}

/// A network, its weights, and the place of a map behind another image's.
struct Scene {
    Scene(std::array<int, 3> channels, unsigned seed) : net(random_face_net(channels, seed)) {
        const GpuNetWeights made = gpu_net_weights(net);
        places = made;
        words = bytes_for(made.words.size() * 4);
        std::copy(made.words.begin(), made.words.end(), reinterpret_cast<std::uint32_t*>(words.data()));
    }

    FaceNet net;
    GpuNetWeights places;
    Bytes words;
};

constexpr unsigned threads = 64;

template <class Kernel, class... Arguments>
void run_blocks(std::size_t blocks, Kernel kernel, const Arguments&... arguments) {
    for (std::size_t b = 0; b < blocks; ++b) {
        // Nothing that an earlier block left may matter.
        std::fill(std::begin(shared), std::end(shared), make_uint4(0x81828384, 7, 0xFFFFFFFF, b));
        BlockOfThreads::run(1, threads, shared, [&] {
            blockIdx.x = static_cast<unsigned>(b);
            kernel(arguments...);
        });
    }
}

/// The bytes of a map of an image, behind those of `first_cell` cells.
ByteMap map_from(const Bytes& bytes, Size size, int channels, std::size_t first) {
    ByteMap map(size, channels);
    const auto* from =
        reinterpret_cast<const std::uint8_t*>(bytes.data()) + first * static_cast<std::size_t>(channels);
    std::copy_n(from, map.values.size(), map.values.begin());
    return map;
}

void copy_to(const ByteMap& map, Bytes& bytes, std::size_t first) {
    std::copy(map.values.begin(), map.values.end(),
              reinterpret_cast<std::uint8_t*>(bytes.data()) + first * static_cast<std::size_t>(map.channels));
}

ByteMap random_map(Size size, int channels, unsigned seed) {
    ByteMap map(size, channels);
    const GreyImage values = noise(size.width * channels, size.height, seed);
    std::copy(values.pixels.begin(), values.pixels.end(), map.values.begin());
    return map;
}

}  // namespace

TEST_CASE("bytes in words: dots, permutations and transpositions", "[face-net][gpu-kernels]") {
    CHECK(dot_of_signed(0xFF010203U, 0x80FF0201U, 5) == 5 + -1 * -128 + 1 * -1 + 2 * 2 + 3 * 1);
    CHECK(permuted_bytes(0x33221100U, 0x77665544U, 0x7362U) == 0x77336622U);
    CHECK(packed_bytes(1, -1, 128, 255) == 0xFF80FF01U);
    const std::uint32_t words[4] = {0x03020100U, 0x13121110U, 0x23222120U, 0x33323130U};
    std::uint32_t columns[4];
    transpose_bytes(words, columns);
    CHECK(columns[0] == 0x30201000U);
    CHECK(columns[1] == 0x31211101U);
    CHECK(columns[2] == 0x32221202U);
    CHECK(columns[3] == 0x33231303U);
}

TEST_CASE("a unit's kernel equals the plain one in every bit", "[face-net][gpu-kernels]") {
    // Kernels of any channels, and of known ones.
    const auto [stem, channels, kernel] = GENERATE(std::tuple{16, 16, &run_units<NetSource::map>},
                                                   std::tuple{16, 64, &run_units<NetSource::map>},
                                                   std::tuple{48, 80, &run_units<NetSource::map>},
                                                   std::tuple{16, 64, &run_units<NetSource::map, 16, 64>},
                                                   std::tuple{64, 64, &run_units<NetSource::map, 64, 64>},
                                                   std::tuple{96, 128, &run_units<NetSource::map, 96, 128>});
    Scene scene({stem, channels, channels}, 5);
    // 5×3 and 2×1 cells of stride 32: tiles at borders, and maps narrower than a tile.
    const auto image = GENERATE(GreyImage{150, 70, std::vector<std::uint8_t>(10500)},
                                GreyImage{33, 20, std::vector<std::uint8_t>(660)});
    const int cells = GENERATE(8, 1);
    CAPTURE(stem, channels, image.width, cells);
    const NetImage place = placed(image, 3);
    const Size size{place.columns * cells, place.rows * cells};
    const std::size_t first = static_cast<std::size_t>(3 * cells * cells),
                      pixels = first + static_cast<std::size_t>(size.width * size.height);
    const ByteMap from = random_map(size, stem, 9);
    Bytes in = bytes_for(pixels * static_cast<std::size_t>(stem)),
          full = bytes_for(pixels * static_cast<std::size_t>(channels)),
          pooled = bytes_for(pixels * static_cast<std::size_t>(channels));
    copy_to(from, in, first);
    UnitJobs jobs{};
    UnitJob& job = jobs.job[0];
    job.cells = cells;
    job.map = reinterpret_cast<const std::uint8_t*>(in.data());
    job.weights = weights_at(scene.words, scene.places.backbone[1]);
    job.full = reinterpret_cast<std::uint8_t*>(full.data());
    if (cells > 1) job.pooled = reinterpret_cast<std::uint8_t*>(pooled.data());
    NetSegments tiles;
    tiles.add(std::span(&place, 1), cells, 0);
    run_blocks(tiles.tiles, kernel, &place, tiles.segments.data(), 1, jobs);
    const ByteMap wanted = plain_unit(scene.net.backbone[1], from);
    CHECK(map_from(full, size, channels, first) == wanted);
    if (cells > 1) {
        CHECK(map_from(pooled, {size.width / 2, size.height / 2}, channels, first / 4) == plain_pool(wanted));
    }
}

TEST_CASE("the kernel of a neck adds the coarser map", "[face-net][gpu-kernels]") {
    const auto [channels, kernel] = GENERATE(std::pair{32, &run_units<NetSource::sum>},
                                             std::pair{64, &run_units<NetSource::sum, 64, 64>});
    Scene scene({16, 16, channels}, 6);
    const GreyImage image{150, 70, std::vector<std::uint8_t>(10500)};
    const NetImage place = placed(image, 2);
    const Size size{place.columns * 4, place.rows * 4};
    const std::size_t pixels = 2 * 16 + static_cast<std::size_t>(size.width * size.height);
    const ByteMap fine = random_map(size, channels, 1),
                  coarse = random_map({size.width / 2, size.height / 2}, channels, 2);
    const std::size_t bytes = pixels * static_cast<std::size_t>(channels);
    Bytes in = bytes_for(bytes), below = bytes_for(bytes), full = bytes_for(bytes);
    copy_to(fine, in, 2 * 16);
    copy_to(coarse, below, 2 * 4);
    UnitJobs jobs{};
    UnitJob& job = jobs.job[0];
    job.cells = 4;
    job.map = reinterpret_cast<const std::uint8_t*>(in.data());
    job.coarse = reinterpret_cast<const std::uint8_t*>(below.data());
    job.sum = scene.net.sums[0];
    job.weights = weights_at(scene.words, scene.places.neck[0]);
    job.full = reinterpret_cast<std::uint8_t*>(full.data());
    NetSegments tiles;
    tiles.add(std::span(&place, 1), 4, 0);
    run_blocks(tiles.tiles, kernel, &place, tiles.segments.data(), 1, jobs);
    CHECK(map_from(full, size, channels, 2 * 16) ==
          plain_unit(scene.net.neck[0], plain_sum(scene.net.sums[0], fine, coarse)));
}

TEST_CASE("the kernel of the stem makes the first unit's inputs from the image", "[face-net][gpu-kernels]") {
    const auto [channels, kernel] = GENERATE(std::pair{32, &run_units<NetSource::stem>},
                                             std::pair{16, &run_units<NetSource::stem, 16, 16>});
    Scene scene({channels, channels, 32}, 7);
    const auto [width, height] = GENERATE(std::pair{150, 70}, std::pair{1, 1}, std::pair{64, 33});
    const GreyImage image = noise(width, height, 4);
    const NetImage place = placed(image, 1);
    const Size size{place.columns * 8, place.rows * 8};
    Bytes pooled = bytes_for((64 + static_cast<std::size_t>(size.width * size.height)) *
                             static_cast<std::size_t>(channels));
    UnitJobs jobs{};
    UnitJob& job = jobs.job[0];
    job.cells = 16;
    job.weights = weights_at(scene.words, scene.places.backbone[0]);
    const auto* words = reinterpret_cast<const std::uint32_t*>(scene.words.data());
    job.stem = {reinterpret_cast<const uint4*>(words + scene.places.stem),
                reinterpret_cast<const int4*>(words + scene.places.stem_bias),
                reinterpret_cast<const float4*>(words + scene.places.stem_scale), channels};
    job.pooled = reinterpret_cast<std::uint8_t*>(pooled.data());
    NetSegments tiles;
    tiles.add(std::span(&place, 1), 16, 0);
    run_blocks(tiles.tiles, kernel, &place, tiles.segments.data(), 1, jobs);
    CHECK(map_from(pooled, size, channels, 64) ==
          plain_pool(plain_unit(scene.net.backbone[0], plain_stem(scene.net.stem, image.view()))));
}

TEST_CASE("the kernel of a head's end finds the cells that reach the logit", "[face-net][gpu-kernels]") {
    const auto [channels, kernel] =
        GENERATE(std::pair{32, &run_head_ends<>}, std::pair{64, &run_head_ends<64>});
    Scene scene({16, 16, channels}, 8);
    const GreyImage image{150, 70, std::vector<std::uint8_t>(10500)};
    const NetImage place = placed(image, 0);
    const Size size{place.columns * 2, place.rows * 2};
    const ByteMap from = random_map(size, channels, 3);
    Bytes in = bytes_for(from.values.size());
    copy_to(from, in, 0);
    const auto& last = scene.net.heads[1][1];
    const NetMap<float> outputs = plain_outputs(last.depthwise, plain_pointwise(last.pointwise, from));
    std::vector<float> logits;
    for (int y = 0; y < size.height; ++y) {
        for (int x = 0; x < size.width; ++x) logits.push_back(outputs.at(y, x, 0));
    }
    std::vector<float> sorted = logits;
    std::sort(sorted.begin(), sorted.end());
    UnitJobs jobs{};
    UnitJob& job = jobs.job[2];
    job.cells = 2;
    job.map = reinterpret_cast<const std::uint8_t*>(in.data());
    job.weights = weights_at(scene.words, scene.places.heads[1][1]);
    job.min_logit = sorted[sorted.size() / 2];
    job.level = 1;
    NetSegments tiles;
    tiles.add(std::span(&place, 1), 2, 2);
    std::vector<FoundCell> found(logits.size());
    unsigned count = 0;
    run_blocks(tiles.tiles, kernel, &place, tiles.segments.data(), 1, jobs, found.data(), &count);
    std::vector<NetCell> wanted, cells;
    for (int y = 0; y < size.height; ++y) {
        for (int x = 0; x < size.width; ++x) {
            if (!(outputs.at(y, x, 0) >= job.min_logit)) continue;
            wanted.push_back({1, y, x, outputs.at(y, x, 0), outputs.at(y, x, 1), outputs.at(y, x, 2),
                              outputs.at(y, x, 3), outputs.at(y, x, 4)});
        }
    }
    for (unsigned i = 0; i < count; ++i) cells.push_back(found[i].cell);
    std::sort(cells.begin(), cells.end(), [](const NetCell& a, const NetCell& b) {
        return std::tuple(a.row, a.column) < std::tuple(b.row, b.column);
    });
    CHECK(cells == wanted);
    CHECK(count >= logits.size() / 2);
}

TEST_CASE("the kernel that reduces images halves them twice", "[face-net][gpu-kernels]") {
    const GreyImage image = noise(47, 30, 2);
    std::vector<std::uint8_t> quarter(11 * 7);
    const QuarterJob job{image.pixels.data(), 47, quarter.data(), 11, 7};
    make_quarters(&job);
    const auto at = [&](int x, int y) { return int{image.view()(x, y)}; };
    const auto half = [&](int x, int y) {
        return octave_pixel(at(2 * x, 2 * y), at(2 * x + 1, 2 * y), at(2 * x, 2 * y + 1),
                            at(2 * x + 1, 2 * y + 1));
    };
    for (int y = 0; y < 7; ++y) {
        for (int x = 0; x < 11; ++x) {
            CAPTURE(x, y);
            CHECK(quarter[static_cast<std::size_t>(11 * y + x)] ==
                  octave_pixel(half(2 * x, 2 * y), half(2 * x + 1, 2 * y), half(2 * x, 2 * y + 1),
                               half(2 * x + 1, 2 * y + 1)));
        }
    }
    // Sizes: a quarter each, until no face is too large.
    CHECK(face_net_sizes({255, 100}) == std::vector<Size>{{255, 100}});
    CHECK(face_net_sizes({1027, 300}) == std::vector<Size>{{1027, 300}, {256, 75}, {64, 18}});
    CHECK(face_net_sizes({5000, 3}) == std::vector<Size>{{5000, 3}});
}
