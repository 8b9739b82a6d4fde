#include "kernels/lbp/lbp_histograms.hpp"

#include <algorithm>

#include <catch2/catch.hpp>
#include <tbb/task_arena.h>

#include "kernels/core/buffer.hpp"
#include "kernels/lbp/gpu_lbp.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/images.hpp"
#include "tests/support/simd_targets.hpp"

using namespace fovea;

namespace {

using Counts = std::vector<std::uint16_t>;

constexpr Size csu{130, 150};

// Smooth, rough and flat faces in turns: the first two one after the other have many codes, the third few.
std::vector<std::uint8_t> make_faces(Size size, std::size_t count, std::uint32_t seed = 1) {
    std::vector<std::uint8_t> faces;
    for (std::size_t i = 0; i < count; ++i) {
        const auto own = seed + static_cast<std::uint32_t>(i);
        GreyImage image = i % 3 == 1 ? test::noise(size.width, size.height, own)
                                     : test::smooth_noise(size.width, size.height, 3, own);
        if (i % 3 == 2) {
            for (std::uint8_t& pixel : image.pixels) pixel = static_cast<std::uint8_t>(pixel / 100);
        }
        faces.insert(faces.end(), image.pixels.begin(), image.pixels.end());
    }
    return faces;
}

// The definition: one pixel, region and face after the other.
Counts defined(Size size, const std::vector<RegionalLbp>& features, const std::vector<std::uint8_t>& faces) {
    Counts counts;
    const std::size_t pixels = static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
    for (std::size_t first = 0; first < faces.size(); first += pixels) {
        const ImageView<const std::uint8_t> face{faces.data() + first, size.width, size.height, size.width};
        for (const RegionalLbp& feature : features) {
            const LbpPlan plan = make_lbp_plan(feature.lbp);
            for (const Rect& region : feature.regions) {
                Counts block(plan.bins);
                for (int y = std::max(region.y, plan.margin);
                     y < std::min(region.y + region.height, size.height - plan.margin); ++y) {
                    for (int x = std::max(region.x, plan.margin);
                         x < std::min(region.x + region.width, size.width - plan.margin); ++x) {
                        ++block[plan.labels[lbp_code(plan, face, x, y)]];
                    }
                }
                counts.insert(counts.end(), block.begin(), block.end());
            }
        }
    }
    return counts;
}

// Calls `compute` with faces and counts on the device, not aligned and with guards about them.
template <class Compute>
Counts guarded(const Device& device, const std::vector<std::uint8_t>& faces, std::size_t bins,
               Compute&& compute) {
    constexpr std::uint16_t guard = 0xA55A;
    constexpr std::size_t margin = 7;
    std::vector<std::uint8_t> bytes(margin, 0xA5);
    bytes.insert(bytes.end(), faces.begin(), faces.end());
    Buffer<std::uint8_t> input(device, bytes.size());
    input.upload(bytes.data(), bytes.size());
    Counts all(bins + 2 * margin, guard);
    Buffer<std::uint16_t> output(device, all.size());
    output.upload(all.data(), all.size());
    compute(input.data() + margin, output.data() + margin);
    output.download(all.data(), all.size());
    for (std::size_t i = 0; i < margin; ++i) {
        REQUIRE(all[i] == guard);
        REQUIRE(all[all.size() - 1 - i] == guard);
    }
    return {all.begin() + margin, all.end() - margin};
}

Counts computed(const Device& device, Size size, const std::vector<RegionalLbp>& features,
                const std::vector<std::uint8_t>& faces) {
    const LbpHistograms histograms(device, size, features);
    const std::size_t count =
        faces.size() / (static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height));
    return guarded(device, faces, count * histograms.layout().bins,
                   [&](const std::uint8_t* in, std::uint16_t* out) { histograms.compute(in, count, out); });
}

struct Case {
    Size size;
    std::vector<Rect> regions;
};

// Grids, overlaps, regions of one pixel and row, some wholly in the margin; sizes about those of vectors and
// warps.
std::vector<Case> cases() {
    std::vector<Case> all{{csu, regions_by_count(csu, 7, 7)},
                          {csu, regions_by_cell(csu, {26, 30})},
                          {csu, regions_by_stride(csu, {36, 42}, {18, 21})},
                          {csu,
                           {{5, 7, 90, 3},
                            {100, 100, 30, 50},
                            {0, 0, 1, 1},
                            {64, 70, 9, 9},
                            {60, 66, 20, 20},
                            {0, 149, 130, 1},
                            {60, 66, 20, 20}}}};
    for (const Size size :
         {Size{1, 1}, Size{2, 3}, Size{3, 3}, Size{5, 5}, Size{6, 5}, Size{31, 33}, Size{33, 31}, Size{36, 9},
          Size{37, 17}, Size{64, 5}, Size{65, 66}, Size{257, 12}}) {
        all.push_back({size, regions_by_count(size, std::min(size.width, 3), std::min(size.height, 4))});
    }
    return all;
}

const std::vector<LbpOperator>& operators() {
    static const std::vector<LbpOperator> all{
        {8, 2, true},   {16, 2, true}, {8, 1, true},      {8, 1, false}, {4, 0.5, true},
        {5, 1.5, true}, {12, 3, true}, {11, 2.25, false}, {8, 16, true}, {16, 5.3, true}};
    return all;
}

std::string name_of(const Case& test, const LbpOperator& lbp) {
    return std::to_string(test.size.width) + "x" + std::to_string(test.size.height) + ", " +
           std::to_string(test.regions.size()) + " regions, LBP(" + std::to_string(lbp.points) + ", " +
           std::to_string(lbp.radius) + ")" + (lbp.uniform ? "u2" : "");
}

}  // namespace

TEST_CASE("LBP histograms by hand", "[lbp]") {
    // The codes of the two inner pixels: 3 has right 4 and below 3, 4 has left 3 and above 4 and below 9.
    const std::vector<std::uint8_t> face{0, 2, 4, 0, 1, 3, 4, 0, 0, 3, 9, 0};
    const Size size{4, 3};
    // Bits: right, above, left, below. Bins of uniform patterns: 9 = 0b1001 is the ninth, 10 = 0b1010 is not
    // uniform.
    CHECK(computed(Device::cpu(), size, {{{4, 1, true}, {{0, 0, 2, 3}, {2, 0, 2, 3}, {0, 0, 1, 3}}}}, face) ==
          [] {
              Counts counts(45);
              counts[8] = 1;
              counts[15 + 14] = 1;
              return counts;
          }());
}

TEST_CASE("LBP histograms equal the definition", "[lbp]") {
    for (const Case& test : cases()) {
        const auto faces = make_faces(test.size, 3);
        for (const LbpOperator& lbp : operators()) {
            INFO(name_of(test, lbp));
            const std::vector<RegionalLbp> features{{lbp, test.regions}};
            REQUIRE(computed(Device::cpu(), test.size, features, faces) ==
                    defined(test.size, features, faces));
        }
    }
}

TEST_CASE("LBP histograms are the same with every instruction set", "[lbp]") {
    const Case test{{67, 23}, regions_by_count({67, 23}, 4, 3)};
    const auto faces = make_faces(test.size, 2);
    for (const LbpOperator& lbp : operators()) {
        const std::vector<RegionalLbp> features{{lbp, test.regions}};
        const Counts wanted = defined(test.size, features, faces);
        for (const std::string& target : test::all_simd_targets()) {
            INFO(target << ", " << name_of(test, lbp));
            const test::ForcedSimdTarget forced(target);
            REQUIRE(computed(Device::cpu(), test.size, features, faces) == wanted);
        }
    }
}

TEST_CASE("LBP histograms: several features, any threads and batches", "[lbp]") {
    const std::vector<RegionalLbp> features{{{8, 2, true}, regions_by_count(csu, 7, 7)},
                                            {{16, 3, true}, regions_by_cell(csu, {26, 30})},
                                            {{4, 1, false}, {{3, 4, 100, 20}}}};
    const LbpHistograms histograms(Device::cpu(), csu, features);
    CHECK(histograms.face() == csu);
    CHECK(histograms.layout() == lbp_layout(csu, features));
    CHECK(histograms.layout().bins == 49 * 59 + 25 * 243 + 16);
    const auto faces = make_faces(csu, 13);
    const Counts wanted = defined(csu, features, faces);
    CHECK(computed(Device::cpu(), csu, features, faces) == wanted);
    Counts counts(wanted.size());
    tbb::task_arena one(1);
    one.execute([&] { histograms.compute(faces.data(), 13, counts.data()); });
    CHECK(counts == wanted);
    counts.assign(counts.size(), 1);
    for (std::size_t i = 0; i < 13; ++i) {
        histograms.compute(faces.data() + i * 130 * 150, 1, counts.data() + i * histograms.layout().bins);
    }
    CHECK(counts == wanted);
    CHECK_NOTHROW(histograms.compute(nullptr, 0, nullptr));
}

TEST_CASE("LBP histograms: every bin of 65,536, and a count of 65,535", "[lbp]") {
    const Size size{300, 225};
    const std::vector<RegionalLbp> features{{{16, 2, false}, {{20, 5, 255, 200}, {0, 0, 300, 218}}}};
    const auto faces = make_faces(size, 1);
    CHECK(computed(Device::cpu(), size, features, faces) == defined(size, features, faces));
    // A flat face: every pixel of a region of 65,535 has the same label.
    const Size flat{269, 259};
    const std::vector<RegionalLbp> large{{{8, 2, true}, {{2, 2, 257, 255}}}};
    Counts wanted(59);
    wanted[57] = 65535;
    CHECK(computed(Device::cpu(), flat, large, std::vector<std::uint8_t>(269 * 259, 9)) == wanted);
}

TEST_CASE("LBP layout: blocks in order, and the pixels that have codes", "[lbp]") {
    const HistogramLayout layout =
        lbp_layout({20, 10}, {{{8, 1.5, true}, {{0, 0, 20, 10}, {5, 5, 3, 2}, {18, 0, 2, 10}}},
                              {{4, 1, false}, {{19, 9, 1, 1}, {0, 0, 3, 3}}}});
    CHECK(layout.bins == 3 * 59 + 2 * 16);
    REQUIRE(layout.blocks.size() == 5);
    CHECK(layout.blocks[0] == HistogramBlock{59, 16 * 6, 256});
    CHECK(layout.blocks[1] == HistogramBlock{59, 6, 256});
    CHECK(layout.blocks[2] == HistogramBlock{59, 0, 256});
    CHECK(layout.blocks[3] == HistogramBlock{16, 0, 256});
    CHECK(layout.blocks[4] == HistogramBlock{16, 4, 256});
}

TEST_CASE("LBP histograms: what is out of range is refused", "[lbp]") {
    using Catch::Matchers::Contains;
    const auto layout_of = [](Size face, const std::vector<Rect>& regions, LbpOperator lbp = {}) {
        return lbp_layout(face, {{lbp, regions}});
    };
    for (const Size face : {Size{0, 9}, Size{9, 0}, Size{4097, 1}, Size{1, 4097}}) {
        CHECK_THROWS_WITH(layout_of(face, {{0, 0, 1, 1}}), Contains("1x1 to 4096x4096"));
    }
    for (const Rect& region :
         {Rect{-1, 0, 2, 2}, Rect{0, -1, 2, 2}, Rect{0, 0, 0, 2}, Rect{0, 0, 2, 0}, Rect{5, 0, 6, 2},
          Rect{0, 9, 1, 2}, Rect{2147483647, 0, 2, 2}, Rect{0, 0, 2147483647, 1}}) {
        CHECK_THROWS_WITH(layout_of({10, 10}, {{0, 0, 1, 1}, region}),
                          Contains("does not lie in a face of 10x10"));
    }
    CHECK_NOTHROW(layout_of({257, 255}, {{0, 0, 257, 255}}));
    CHECK_THROWS_WITH(layout_of({256, 256}, {{0, 0, 256, 256}}), Contains("65,535"));
    CHECK_THROWS_WITH(layout_of({10, 10}, {{0, 0, 1, 1}}, {3, 1, true}), Contains("3 points"));
    CHECK_THROWS_WITH(lbp_layout({10, 10}, {}), Contains("no feature"));
    CHECK_THROWS_WITH(layout_of({10, 10}, {}), Contains("no region"));
    CHECK_THROWS_AS(LbpHistograms(Device::cpu(), {10, 10}, {}), std::invalid_argument);
}

TEST_CASE("LBP histograms: CUDA equals the CPU", "[lbp][cuda][cuda-small]") {
    const auto device = test::gpu();
    if (!device) return;
    for (const Case& test : cases()) {
        const auto faces = make_faces(test.size, 3);
        for (const LbpOperator& lbp : operators()) {
            INFO(name_of(test, lbp));
            const std::vector<RegionalLbp> features{{lbp, test.regions}};
            REQUIRE(computed(*device, test.size, features, faces) ==
                    computed(Device::cpu(), test.size, features, faces));
        }
    }
    const std::vector<RegionalLbp> several{{{8, 2, true}, regions_by_count(csu, 7, 7)},
                                           {{16, 2, true}, regions_by_cell(csu, {26, 30})}};
    const auto faces = make_faces(csu, 70);
    REQUIRE(computed(*device, csu, several, faces) == computed(Device::cpu(), csu, several, faces));
    CHECK_NOTHROW(LbpHistograms(*device, csu, several).compute(nullptr, 0, nullptr));
}

TEST_CASE("LBP histograms: CUDA equals the CPU however much is staged at once", "[lbp][cuda][cuda-small]") {
    const auto device = test::gpu();
    if (!device) return;
    for (const Case& test : cases()) {
        const auto faces = make_faces(test.size, 2);
        for (const LbpOperator& lbp :
             {LbpOperator{8, 2, true}, LbpOperator{16, 2, true}, LbpOperator{10, 1.5, false}}) {
            const Counts wanted = computed(Device::cpu(), test.size, {{lbp, test.regions}}, faces);
            const LbpPlan plan = make_lbp_plan(lbp);
            for (const std::size_t max_shared : {1U, 8000U, 20000U, 47000U, 64000U}) {
                INFO(name_of(test, lbp) << ", " << max_shared << " bytes");
                const cuda_backend::GpuLbp lbp_of_gpu(*device, test.size, {{plan, test.regions, 0}},
                                                      wanted.size() / 2, max_shared);
                REQUIRE(
                    guarded(*device, faces, wanted.size(), [&](const std::uint8_t* in, std::uint16_t* out) {
                        lbp_of_gpu.compute(in, 2, out);
                    }) == wanted);
            }
        }
    }
}

TEST_CASE("LBP histograms: CUDA equals the CPU for large histograms and faces", "[lbp][cuda][cuda-small]") {
    const auto device = test::gpu();
    if (!device) return;
    const Size size{300, 225};
    for (const LbpOperator& lbp :
         {LbpOperator{16, 2, false}, LbpOperator{14, 3.5, false}, LbpOperator{16, 32, true}}) {
        const std::vector<RegionalLbp> features{{lbp, {{20, 5, 255, 200}, {0, 0, 300, 218}}}};
        const auto faces = make_faces(size, 2);
        REQUIRE(computed(*device, size, features, faces) == computed(Device::cpu(), size, features, faces));
    }
    for (const Size large : {Size{4096, 20}, Size{11, 4096}}) {
        const std::vector<RegionalLbp> features{{{8, 3, true}, regions_by_count(large, 3, 5)}};
        const auto faces = make_faces(large, 2);
        REQUIRE(computed(*device, large, features, faces) == computed(Device::cpu(), large, features, faces));
    }
}
