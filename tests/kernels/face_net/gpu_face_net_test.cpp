#include "kernels/face_net/gpu_face_net.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/core/buffer.hpp"
#include "kernels/face_net/run_face_net.hpp"
#include "kernels/mct/pyramid.hpp"
#include "tests/support/face_nets.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/images.hpp"
#include "tests/support/plain_suppression.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

using Views = std::vector<ImageBatch::View>;

using Cells = std::vector<std::vector<std::vector<NetCell>>>;

/// The cells of each size of each image, not suppressed.
Cells all_cells(const std::vector<ImageCells>& images) {
    Cells cells;
    for (const ImageCells& image : images) {
        CHECK_FALSE(image.are_suppressed);
        cells.push_back(image.of_size);
    }
    return cells;
}

/// The cells of each size of each image, by the CPU.
Cells cells_by_cpu(const FaceNet& net, const Views& images, float min_logit) {
    Cells cells;
    for (const ImageBatch::View& image : images) {
        auto& sizes = cells.emplace_back();
        ImageBatch::View view = image;
        GreyBuffer quarter;
        for (const Size size : face_net_sizes({image.width, image.height})) {
            if (!sizes.empty()) {
                quarter = halve(halve(view).view());
                view = quarter.view();
            }
            REQUIRE(Size{view.width, view.height} == size);
            sizes.push_back(run_face_net(net, view, min_logit));
        }
    }
    return cells;
}

}  // namespace

TEST_CASE("a face network on a GPU finds the cells of the CPU, in every bit", "[face-net][cuda]") {
    const auto device = gpu();
    if (!device) return;
    using Channels = std::array<int, 3>;
    const auto channels =
        GENERATE(Channels{16, 16, 16}, Channels{16, 32, 64}, Channels{16, 64, 64}, Channels{32, 96, 96},
                 Channels{32, 96, 128}, Channels{64, 48, 80}, Channels{128, 128, 128});
    CAPTURE(channels);
    const FaceNet net = random_face_net(channels, 11);
    const auto on_gpu = cuda_backend::make_gpu_face_net(net, device->index());
    const std::vector<GreyImage> images{noise(1, 1, 1), smooth_noise(33, 31, 3, 2),
                                        smooth_noise(640, 480, 9, 3), smooth_noise(31, 300, 5, 4),
                                        smooth_noise(1030, 517, 20, 5)};
    Views views;
    for (const GreyImage& image : images) views.push_back(image.view());
    for (const float min_logit : {-100.0F, 0.0F, 3.0F}) {
        CAPTURE(min_logit);
        const auto wanted = cells_by_cpu(net, views, min_logit);
        CHECK(all_cells(on_gpu->run(views, min_logit)) == wanted);
        // One by one, with the memory of the batch.
        for (std::size_t i = 0; i < views.size(); ++i)
            CHECK(all_cells(on_gpu->run(ImageBatch(std::span(&views[i], 1)), min_logit))[0] == wanted[i]);
    }
    CHECK(on_gpu->run({}, 0).empty());
    const ImageBatch::View nothing;
    CHECK_THROWS_AS(on_gpu->run(ImageBatch(std::span(&nothing, 1)), 0), std::invalid_argument);
}

TEST_CASE("a face network takes images that lie on the GPU, at any stride", "[face-net][cuda][cuda-small]") {
    const auto device = gpu();
    if (!device) return;
    const FaceNet net = random_face_net({16, 32, 64}, 12);
    const GreyImage whole = smooth_noise(701, 400, 8, 6);
    Buffer<std::uint8_t> pixels(*device, whole.pixels.size());
    pixels.upload(whole.pixels.data(), whole.pixels.size());
    device->synchronize();
    // Parts of the image: one begins at an odd address.
    const Views on_host{{whole.pixels.data(), 701, 400, 701},
                        {whole.pixels.data() + 701 * 3 + 5, 333, 260, 701}};
    const Views resident{{pixels.data(), 701, 400, 701}, {pixels.data() + 701 * 3 + 5, 333, 260, 701}};
    const auto on_gpu = cuda_backend::make_gpu_face_net(net, device->index());
    CHECK(all_cells(on_gpu->run(ImageBatch(resident, device->index()), -1)) ==
          cells_by_cpu(net, on_host, -1));
}

TEST_CASE("a face network on a GPU suppresses cells as the plain rule does", "[face-net][cuda][cuda-small]") {
    const auto device = gpu();
    if (!device) return;
    const FaceNet net = random_face_net({16, 64, 64}, 13);
    const auto on_gpu = cuda_backend::make_gpu_face_net(net, device->index());
    const GreyImage small = smooth_noise(97, 70, 6, 7), large = smooth_noise(300, 90, 9, 8);
    const Views views{small.view(), large.view()};
    const std::vector<ImageCells> all = on_gpu->run(views, -100);
    // Boxes of random weights have many neighbours: a part of the cells leaves lists with room.
    std::vector<float> logits;
    for (const NetCell& cell : all[1].of_size[0]) logits.push_back(cell.logit);
    std::sort(logits.rbegin(), logits.rend());
    const NetSuppression rule{0.4, 0.01, 0};
    std::size_t suppressed = 0, dropped = 0;
    for (const std::size_t cells : {std::size_t{10}, std::size_t{60}, logits.size()}) {
        CAPTURE(cells);
        const float min_logit = logits[cells - 1];
        const std::vector<ImageCells> found = on_gpu->run(views, min_logit),
                                      left = on_gpu->run(views, min_logit, rule);
        REQUIRE(left.size() == 2);
        for (std::size_t i = 0; i < left.size(); ++i) {
            const std::vector<SizedCell> before = in_order(found[i]);
            if (!left[i].are_suppressed) {
                CHECK(in_order(left[i]) == before);
                continue;
            }
            CHECK(in_order(left[i]) == plainly_suppressed(before, rule));
            ++suppressed;
            dropped += before.size() - in_order(left[i]).size();
        }
    }
    CHECK(suppressed > 1);
    CHECK(dropped > 0);
}

TEST_CASE("a face network refuses a GPU that is not there, and a network with a fault", "[face-net]") {
    CHECK_THROWS_AS(cuda_backend::make_gpu_face_net(random_face_net({16, 16, 16}, 1), 4096), DeviceError);
    const auto device = gpu();
    if (!device) return;
    FaceNet faulty = random_face_net({16, 16, 16}, 1);
    faulty.stem.weights.pop_back();
    CHECK_THROWS_AS(cuda_backend::make_gpu_face_net(faulty, device->index()), std::invalid_argument);
}
