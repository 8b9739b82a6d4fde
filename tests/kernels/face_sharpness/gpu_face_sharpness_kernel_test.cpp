// The kernel that measures faces, run on the CPU by blocks whose threads take turns: tests/support/host_cuda.

#include "kernels/face_sharpness/gpu_face_sharpness_kernel.cuh"

#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/host_cuda/block_of_threads.hpp"
#include "tests/support/images.hpp"

namespace fovea::cuda_backend {

/// The shared memory of a block.
SharpnessBlock sharpness_block[1];

}  // namespace fovea::cuda_backend

using namespace fovea;
using namespace fovea::cuda_backend;

TEST_CASE("the kernel of sharpness gives the CPU's sums", "[sharpness]") {
    const GreyImage first = test::noise(200, 150, 1), second = test::noise(31, 90, 2);
    const std::vector<ImageView<const std::uint8_t>> images{first.view(), second.view()};
    const std::vector<SharpnessTask> tasks{
        {0, {0, 0, 200, 150}}, {1, {0, 0, 31, 90}}, {0, {199, 149, 1, 1}}, {0, {7, 9, 64, 65}}};
    std::vector<LaplacianSums> expected(tasks.size()), found(tasks.size());
    sum_laplacians(Device::cpu(), images.data(), tasks.data(), tasks.size(), expected.data());
    test::BlockOfThreads::run(static_cast<unsigned>(tasks.size()), sharpness_threads, sharpness_block,
                              [&] { laplacian_kernel(images.data(), tasks.data(), found.data()); });
    CHECK(found == expected);
}
