// The kernel that finds landmarks, run on the CPU by blocks whose threads take turns:
// tests/support/host_cuda.

#include <algorithm>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/landmark/gpu_landmark_kernels.cuh"
#include "kernels/landmark/gpu_one_face_kernel.cuh"
#include "tests/support/host_cuda/block_of_threads.hpp"
#include "tests/support/images.hpp"
#include "tests/support/landmark_models.hpp"

namespace fovea::cuda_backend {
namespace {

/// The shared memory of a block.
alignas(16) unsigned char memory[64 << 10];

}  // namespace
}  // namespace fovea::cuda_backend

using namespace fovea;
using namespace fovea::cuda_backend;

namespace {

/// A model as a GPU holds it.
class KernelModel {
  public:
    KernelModel(const LandmarkModel& model, const LandmarkTables& tables) : tables_(tables), model_(model) {
        kernel_.quads = (2 * model.points + 3) / 4;
        const std::size_t stride = 4 * static_cast<std::size_t>(kernel_.quads);
        parts_.resize(model.cascades.size());
        for (std::size_t c = 0; c < parts_.size(); ++c) {
            const LandmarkCascade& cascade = model.cascades[c];
            Part& part = parts_[c];
            // Arrays are copied in whole words of 16 bytes, which may reach beyond their ends.
            part.pixels = cascade.pixels;
            part.pixels.resize(cascade.pixels.size() + 2);
            for (const LandmarkSplit& split : cascade.splits)
                part.splits.push_back({split.first, split.second, split.threshold, 0});
            part.splits.resize(cascade.splits.size() + 1);
            for (std::size_t row = 0; row < cascade.trees * model.leaves_of_tree(); ++row) {
                for (std::size_t i = 0; i < stride; ++i) {
                    const std::size_t at = row * model.leaf_stride() + i;
                    if (cascade.is_quantised())
                        part.bytes.push_back(cascade.quantised_leaves[at]);
                    else
                        part.floats.push_back(cascade.leaves[at]);
                }
            }
            cascades_.push_back({part.pixels.data(), part.splits.data(),
                                 cascade.is_quantised() ? nullptr : part.floats.data(),
                                 cascade.is_quantised() ? part.bytes.data() : nullptr, cascade.leaf_unit,
                                 static_cast<int>(cascade.pixels.size()), static_cast<int>(cascade.trees)});
            kernel_.max_pixels = std::max(kernel_.max_pixels, static_cast<int>(cascade.pixels.size()));
            kernel_.max_trees = std::max(kernel_.max_trees, static_cast<int>(cascade.trees));
            kernel_.has_float_leaves = kernel_.has_float_leaves || !cascade.is_quantised();
        }
        kernel_.cascades = cascades_.data();
        kernel_.initial_shape = model.initial_shape.data();
        kernel_.turn_weights = tables_.turn_weights.data();
        kernel_.cascade_count = static_cast<int>(cascades_.size());
        kernel_.refit_after = static_cast<int>(model.refit_after);
        kernel_.points = model.points;
        kernel_.depth = model.depth;
        kernel_.subpixels = model.subpixels;
        kernel_.turns = tables_.turns;
        kernel_.mean_x = tables_.mean_x;
        kernel_.mean_y = tables_.mean_y;
    }

    std::vector<std::int32_t> find(const std::vector<ImageView<const std::uint8_t>>& images,
                                   const std::vector<LandmarkTask>& tasks, int faces_of_block) const {
        REQUIRE(shared_layout(kernel_, faces_of_block).bytes <= sizeof memory);
        std::vector<std::int32_t> positions(tasks.size() * model_.initial_shape.size());
        const auto count = static_cast<unsigned>(tasks.size());
        test::BlockOfThreads::run(2, block_threads, memory, [&] {
            landmark_kernel(kernel_, faces_of_block, std::max(1U, count), images.data(), tasks.data(), &count,
                            positions.data());
        });
        return positions;
    }

    /// The same by blocks of one face. \param max_faces for the kernel.
    std::vector<std::int32_t> find_one_by_one(const std::vector<ImageView<const std::uint8_t>>& images,
                                              const std::vector<LandmarkTask>& tasks, unsigned max_faces,
                                              std::size_t max_bytes = sizeof memory) const {
        REQUIRE(takes_one_face(kernel_, max_bytes));
        const OneFaceLayout layout = one_face_layout(kernel_, max_bytes);
        std::vector<std::int32_t> positions(tasks.size() * model_.initial_shape.size());
        const auto count = static_cast<unsigned>(tasks.size());
        test::BlockOfThreads::run(3, one_face_threads, memory, [&] {
            one_face_kernel(kernel_, layout, max_faces, images.data(), tasks.data(), &count,
                            positions.data());
        });
        return positions;
    }

    const GpuModel& kernel() const { return kernel_; }

  private:
    struct Part {
        std::vector<LandmarkPixel> pixels;
        std::vector<GpuSplit> splits;
        alignas(16) std::vector<float> floats;
        std::vector<std::int8_t> bytes;
    };
    const LandmarkTables tables_;
    const LandmarkModel& model_;
    std::vector<Part> parts_;
    std::vector<GpuCascade> cascades_;
    GpuModel kernel_{};
};

}  // namespace

TEST_CASE("the kernel of landmarks gives the CPU's positions, also in boxes that are fitted anew",
          "[landmark]") {
    const GreyImage first = test::smooth_noise(120, 90, 4, 1), second = test::smooth_noise(47, 71, 2, 2);
    const std::vector<ImageView<const std::uint8_t>> images{first.view(), second.view()};
    std::vector<LandmarkTask> tasks;
    for (int i = 0; i < 11; ++i) {
        tasks.push_back({static_cast<std::uint32_t>(i % 2),
                         {i * 13 % 60 - 20, i * 7 % 40 - 10, 1 + i * 11 % 90, 1 + i * 29 % 70}});
    }
    for (const test::LandmarkModelShape& shape : std::vector<test::LandmarkModelShape>{
             {68, 3, 3, 20, 40, true, 16}, {68, 3, 3, 40, 40, false, 16}, {5, 2, 3, 7, 9, true, 4}}) {
        LandmarkModel model = test::random_landmark_model(shape, 5);
        std::vector<std::int32_t> never;
        for (const std::size_t refit_after : {0, 1, 2, 3}) {
            CAPTURE(shape.points, shape.quantised, refit_after);
            model.refit_after = refit_after;
            const LandmarkTables tables = make_landmark_tables(model);
            std::vector<std::int32_t> expected(tasks.size() * model.initial_shape.size());
            find_landmarks(model, tables, images, tasks, expected.data());
            const KernelModel kernel(model, tables);
            for (const int faces_of_block : {1, 3, 8})
                REQUIRE(kernel.find(images, tasks, faces_of_block) == expected);
            REQUIRE(kernel.find_one_by_one(images, tasks, 11) == expected);
            CHECK(kernel.find_one_by_one(images, tasks, 10) == std::vector<std::int32_t>(expected.size()));
            if (refit_after == 0) never = expected;
            CHECK((expected == never) == (refit_after == 0 || refit_after == 3));
        }
    }
}

TEST_CASE("leaves of one face arrive in a ring of any size", "[landmark]") {
    const GreyImage image = test::smooth_noise(120, 90, 4, 1);
    const std::vector<ImageView<const std::uint8_t>> images{image.view()};
    const std::vector<LandmarkTask> tasks{{0, {20, 10, 60, 70}}};
    const LandmarkModel model = test::random_landmark_model({5, 2, 2, 100, 9, false, 4}, 5);
    const LandmarkTables tables = make_landmark_tables(model);
    std::vector<std::int32_t> expected(model.initial_shape.size());
    find_landmarks(model, tables, images, tasks, expected.data());
    const KernelModel kernel(model, tables);
    // Three groups of four coordinates: a row has 48 bytes, and the ring has two parts.
    const std::size_t without_ring = one_face_layout(kernel.kernel(), sizeof memory).rows;
    for (const int rows : {16, 17, 49, 50, 99, 100, 128}) {
        CAPTURE(rows);
        const std::size_t bytes = without_ring + 96 * static_cast<std::size_t>(rows);
        CHECK(one_face_layout(kernel.kernel(), bytes).rows_of_part == rows);
        CHECK(kernel.find_one_by_one(images, tasks, 1, bytes) == expected);
    }
    CHECK_FALSE(takes_one_face(kernel.kernel(), without_ring + 96 * 16 - 1));
}

TEST_CASE("blocks of one face take models of every shape", "[landmark]") {
    const GreyImage image = test::smooth_noise(120, 90, 4, 1);
    const std::vector<ImageView<const std::uint8_t>> images{image.view()};
    const std::vector<LandmarkTask> tasks{{0, {20, 10, 60, 70}}, {0, {-9, 40, 33, 21}}};
    std::vector<LandmarkModel> models{test::still_landmark_model(3)};
    for (const test::LandmarkModelShape& shape :
         std::vector<test::LandmarkModelShape>{{1, 0, 1, 1, 1, false, 1},
                                               {5, 0, 2, 3, 4, true, 4},
                                               {7, 5, 2, 31, 300, true, 1},
                                               {34, 1, 3, 17, 9, false, 16}}) {
        models.push_back(test::random_landmark_model(shape, 5));
    }
    // Levels of both kinds.
    models.push_back(test::random_landmark_model({5, 2, 1, 9, 9, false, 4}, 5));
    models.back().cascades.push_back(test::random_landmark_model({5, 2, 1, 7, 9, true, 4}, 6).cascades[0]);
    for (const LandmarkModel& model : models) {
        CAPTURE(model.points, model.depth, model.cascades.size());
        const LandmarkTables tables = make_landmark_tables(model);
        std::vector<std::int32_t> expected(tasks.size() * model.initial_shape.size());
        find_landmarks(model, tables, images, tasks, expected.data());
        const KernelModel kernel(model, tables);
        CHECK(kernel.find_one_by_one(images, tasks, 2) == expected);
        CHECK(kernel.find(images, tasks, 2) == expected);
    }
}
