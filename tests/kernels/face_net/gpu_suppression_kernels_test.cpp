// Suppression on a GPU, run on the CPU by blocks whose threads take turns: tests/support/host_cuda.

#include "kernels/face_net/gpu_suppression_kernels.cuh"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/host_cuda/block_of_threads.hpp"
#include "tests/support/plain_suppression.hpp"

namespace fovea::cuda_backend {

/// The shared memory of a block.
std::uint32_t suppression_memory[1 << 10];

}  // namespace fovea::cuda_backend

using namespace fovea;
using namespace fovea::test;
using namespace fovea::cuda_backend;

namespace {

/// Cells around so many faces of 12 to 200 pixels, in two sizes.
std::vector<SizedCell> crowd(int faces, unsigned seed) {
    std::mt19937 random(seed);
    const auto uniform = [&](double low, double high) {
        return std::uniform_real_distribution<double>(low, high)(random);
    };
    std::vector<SizedCell> cells;
    for (int face = 0; face < faces; ++face) {
        const double side = 12 * std::pow(200.0 / 12, uniform(0, 1)), x = uniform(0, 600),
                     y = uniform(0, 400);
        for (std::uint32_t size = 0; size < 2; ++size) {
            const double scale = size == 0 ? 1 : 4;
            for (int level = 0; level < face_net_levels; ++level) {
                const double stride = face_net_stride(level) * scale;
                if (side < stride) continue;
                for (int row = -1; row <= 1; ++row) {
                    for (int column = -1; column <= 1; ++column) {
                        const int at_y = std::max(0, static_cast<int>(y / stride) + row),
                                  at_x = std::max(0, static_cast<int>(x / stride) + column);
                        NetCell cell{level, at_y, at_x, static_cast<float>(uniform(-4, 6)), 0, 0, 0, 0};
                        cell.dx = static_cast<float>(x / stride - at_x - 0.5 + uniform(-0.3, 0.3));
                        cell.dy = static_cast<float>(y / stride - at_y - 0.5 + uniform(-0.3, 0.3));
                        cell.log_width = static_cast<float>(std::log(side / 2 / stride) + uniform(-0.3, 0.3));
                        cell.log_height =
                            static_cast<float>(std::log(side / 2 / stride) + uniform(-0.3, 0.3));
                        const SizedCell sized{size, cell};
                        if (std::none_of(cells.begin(), cells.end(), [&](const SizedCell& other) {
                                return place_of(other) == place_of(sized);
                            }))
                            cells.push_back(sized);
                    }
                }
            }
        }
    }
    return cells;
}

struct Suppressed {
    std::vector<std::vector<SizedCell>> images;
    std::vector<bool> are_doubtful;
};

/// Runs the kernels on images of two sizes each. \param capacity of a segment
Suppressed by_kernels(const std::vector<std::vector<SizedCell>>& images, const NetSuppression& rule,
                      std::uint32_t capacity) {
    std::vector<FoundCell> found;
    std::vector<SizedPlace> places;
    for (std::size_t i = 0; i < images.size(); ++i) {
        const auto image = static_cast<std::uint32_t>(i);
        for (const SizedCell& cell : images[i]) found.push_back({2 * image + cell.size, cell.cell});
        places.push_back({image, 0});
        places.push_back({image, 1});
    }
    std::mt19937 random(1);
    std::shuffle(found.begin(), found.end(), random);
    const auto found_count = static_cast<std::uint32_t>(found.size());
    const std::size_t all = images.size() * capacity;
    std::vector<SuppressionCounts> counts(images.size());
    std::vector<PlacedCell> cells(all);
    std::vector<float4> reaches(all);
    std::vector<std::uint16_t> neighbours(all * max_neighbours, 7);
    std::vector<FoundCell> kept(found.size());
    std::uint32_t kept_count = 0;
    const SuppressionJob job{found.data(), &found_count,   places.data(),     counts.data(), capacity,
                             cells.data(), reaches.data(), neighbours.data(), kept.data(),   &kept_count,
                             rule};
    const auto run = [&](unsigned blocks, unsigned rows, unsigned threads, const auto& kernel) {
        for (unsigned row = 0; row < rows; ++row) {
            for (unsigned block = 0; block < blocks; ++block) {
                BlockOfThreads::run(1, threads, suppression_memory, [&] {
                    gridDim = {blocks, rows, 1};
                    blockIdx = {block, row, 0};
                    kernel(job);
                });
            }
        }
    };
    run(2, 1, 64, place_cells);
    const auto image_count = static_cast<unsigned>(images.size());
    run(2, image_count, 64, find_neighbours<SuppressionPass::within_sizes>);
    run(image_count, 1, 64, decide_cells<SuppressionPass::within_sizes>);
    run(2, image_count, 64, find_neighbours<SuppressionPass::among_all>);
    run(image_count, 1, 64, decide_cells<SuppressionPass::among_all>);
    Suppressed result;
    result.images.resize(images.size());
    for (std::uint32_t i = 0; i < kept_count; ++i)
        result.images[kept[i].image / 2].push_back({kept[i].image % 2, kept[i].cell});
    for (auto& image : result.images) image = in_order(image);
    for (const SuppressionCounts& count : counts) result.are_doubtful.push_back(count.is_doubtful != 0);
    return result;
}

/// A cell of level 0 with a box of 2 · 8 pixels a side around its middle.
SizedCell square_cell(int row, int column, float logit, std::uint32_t size = 0) {
    return {size, {0, row, column, logit, 0, 0, 0, 0}};
}

constexpr NetSuppression rule{0.4, 1.2, -0.3};

}  // namespace

TEST_CASE("suppression by kernels leaves the cells that the plain rule leaves", "[face-net][gpu-kernels]") {
    const std::vector<std::vector<SizedCell>> images{crowd(40, 1), {}, crowd(1, 2), crowd(15, 3)};
    REQUIRE(images[0].size() > 500);
    const Suppressed found = by_kernels(images, rule, 2048);
    for (std::size_t i = 0; i < images.size(); ++i) {
        CAPTURE(i);
        CHECK_FALSE(found.are_doubtful[i]);
        const std::vector<SizedCell> wanted = plainly_suppressed(images[i], rule);
        CHECK(found.images[i] == wanted);
        CHECK((images[i].empty() || wanted.size() < images[i].size()));
    }
}

TEST_CASE("suppression by kernels: a dropped cell drops nothing, and ties go to the first cell",
          "[face-net][gpu-kernels]") {
    // Neighbours overlap by a third of both, IoU 1 / 3; with a limit of .3 each drops the next.
    const NetSuppression strict{0.3, 1, 0};
    const auto chain =
        by_kernels({{square_cell(0, 0, 3), square_cell(0, 1, 2), square_cell(0, 2, 1), square_cell(0, 3, 0)}},
                   strict, 64);
    CHECK(chain.images[0] == std::vector{square_cell(0, 0, 3), square_cell(0, 2, 1)});
    const auto tie = by_kernels({{square_cell(5, 1, 2), square_cell(5, 0, 2)}}, strict, 64);
    CHECK(tie.images[0] == std::vector{square_cell(5, 0, 2)});
    CHECK_FALSE(tie.are_doubtful[0]);
    // Boxes of 16 pixels; of the second size, of 64, around (16, 16): it holds the centres of two.
    const auto nested = by_kernels(
        {{square_cell(1, 1, 1), square_cell(2, 2, 4), square_cell(9, 9, 0), square_cell(0, 0, 3, 1)}}, rule,
        64);
    CHECK(nested.images[0] == std::vector{square_cell(1, 1, 1), square_cell(2, 2, 4), square_cell(9, 9, 0)});
}

TEST_CASE("suppression by kernels leaves to the CPU what last bits decide, and what has no room",
          "[face-net][gpu-kernels]") {
    // An IoU of 1 / 3, exactly.
    CHECK(by_kernels({{square_cell(0, 0, 3), square_cell(0, 1, 2)}}, {1.0 / 3, 1, 0}, 64).are_doubtful[0]);
    // Scores that are 1 both, of nested boxes; of equal scores the upper box comes first.
    const auto nested = [](float inner, float outer) {
        return by_kernels({{square_cell(1, 1, inner), square_cell(0, 0, outer, 1)}}, rule, 64);
    };
    CHECK(nested(50, 49).are_doubtful[0]);
    CHECK_FALSE(nested(3, 2).are_doubtful[0]);
    CHECK(nested(3, 3).images[0] == std::vector{square_cell(0, 0, 3, 1)});
    CHECK_FALSE(nested(3, 3).are_doubtful[0]);
    // One segment overflows, the other one does not.
    const std::vector<SizedCell> many = crowd(3, 5);
    const auto full = by_kernels({many, {square_cell(0, 0, 1)}}, rule, 32);
    CHECK(full.are_doubtful[0]);
    CHECK_FALSE(full.are_doubtful[1]);
    CHECK(full.images[1] == std::vector{square_cell(0, 0, 1)});
    // More stronger neighbours than lists have room for.
    std::vector<SizedCell> pile;
    for (int i = 0; i < max_neighbours + 2; ++i) {
        SizedCell cell = square_cell(0, i, static_cast<float>(i));
        cell.cell.dx = static_cast<float>(-i);
        pile.push_back(cell);
    }
    CHECK(by_kernels({pile}, rule, 96).are_doubtful[0]);
    pile.pop_back();
    CHECK_FALSE(by_kernels({pile}, rule, 96).are_doubtful[0]);
    CHECK(by_kernels({pile}, rule, 96).images[0] == std::vector{pile.back()});
}
