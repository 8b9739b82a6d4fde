#include "kernels/face_sharpness/face_sharpness.hpp"

#include <vector>

#include <catch2/catch.hpp>
#include <opencv2/imgproc.hpp>

#include "kernels/core/buffer.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/images.hpp"

using namespace fovea;

namespace {

std::vector<LaplacianSums> sums_of(const Device& device, const std::vector<GreyImage>& images,
                                   const std::vector<SharpnessTask>& tasks) {
    std::vector<Buffer<std::uint8_t>> pixels;
    std::vector<ImageView<const std::uint8_t>> views;
    for (const GreyImage& image : images) {
        pixels.emplace_back(device, image.pixels.size());
        pixels.back().upload(image.pixels.data(), image.pixels.size());
        views.push_back({pixels.back().data(), image.width, image.height, image.width});
    }
    Buffer<ImageView<const std::uint8_t>> device_views(device, views.size());
    device_views.upload(views.data(), views.size());
    Buffer<SharpnessTask> device_tasks(device, tasks.size());
    device_tasks.upload(tasks.data(), tasks.size());
    Buffer<LaplacianSums> sums(device, tasks.size());
    sum_laplacians(device, device_views.data(), device_tasks.data(), tasks.size(), sums.data());
    std::vector<LaplacianSums> found(tasks.size());
    sums.download(found.data(), found.size());
    return found;
}

LaplacianSums sums_of(const GreyImage& image, const Rect& face) {
    return sums_of(Device::cpu(), {image}, {{0, face}})[0];
}

GreyImage drawn(int width, int height, int (*value)(int x, int y)) {
    GreyImage image{width, height, {}};
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) image.pixels.push_back(static_cast<std::uint8_t>(value(x, y)));
    return image;
}

}  // namespace

TEST_CASE("a cell is made of the pixels under it, of few pixels of the two about its centre", "[sharpness]") {
    // 96 pixels: one and a half for a cell.
    const CellSpan even = cell_span(96, 0), odd = cell_span(96, 1);
    CHECK(even.first == 0);
    CHECK(even.last == 1);
    CHECK(even.weight(0) == 64);
    CHECK(even.weight(1) == 32);
    CHECK(odd.first == 1);
    CHECK(odd.last == 2);
    CHECK(odd.weight(1) == 32);
    CHECK(odd.weight(2) == 64);
    // 32 pixels: the centre of cell 1 lies a quarter behind that of pixel 0, cell 0 lies before it.
    CHECK(cell_span(32, 0).last == 0);
    CHECK(cell_span(32, 1).first == 0);
    CHECK(cell_span(32, 1).weight(0) == 96);
    CHECK(cell_span(32, 1).weight(1) == 32);
    for (const int length : {1, 2, 3, 31, 63, 64, 65, 127, 128, 129, 1000, 65536}) {
        INFO(length);
        int behind = 0;
        for (int cell = 0; cell < sharpness_side; ++cell) {
            const CellSpan span = cell_span(length, cell);
            REQUIRE(span.first >= 0);
            REQUIRE(span.last >= span.first);
            REQUIRE(span.last < length);
            std::uint64_t weight = 0;
            for (int pixel = span.first; pixel <= span.last; ++pixel) weight += span.weight(pixel);
            REQUIRE(weight == span_weight(length));
            if (length >= sharpness_side) REQUIRE(span.first <= behind);
            behind = span.last + 1;
        }
        REQUIRE(behind == length);
    }
}

TEST_CASE("the sharpness of drawn faces is as computed by hand", "[sharpness]") {
    const GreyImage flat = drawn(70, 70, [](int, int) { return 200; });
    CHECK(sums_of(flat, {3, 2, 64, 64}) == LaplacianSums{0, 0});
    CHECK(sums_of(flat, {69, 69, 1, 1}) == LaplacianSums{0, 0});
    const GreyImage ramp = drawn(64, 64, [](int x, int) { return 4 * x; });
    CHECK(sums_of(ramp, {0, 0, 64, 64}) == LaplacianSums{0, 0});
    // A checkerboard of 0 and 100: every Laplacian is 400 or -400, half of them each.
    const auto checked = [](int x, int y) { return (x + y) % 2 * 100; };
    const LaplacianSums sums = sums_of(drawn(64, 64, checked), {0, 0, 64, 64});
    CHECK(sums == LaplacianSums{0, 62 * 62 * 160000});
    CHECK(laplacian_variance(sums) == 160000);
    // Reduced to half, it is grey.
    CHECK(sums_of(drawn(128, 128, checked), {0, 0, 128, 128}) == LaplacianSums{0, 0});
    // One white pixel within: -4·255, and 255 at its four neighbours.
    const GreyImage dot = drawn(64, 64, [](int x, int y) { return x == 20 && y == 30 ? 255 : 0; });
    CHECK(sums_of(dot, {0, 0, 64, 64}) == LaplacianSums{0, 20 * 255 * 255});
    CHECK(laplacian_variance({3844, 3844}) == 0);
}

TEST_CASE("faces are resized as OpenCV resizes them, and blur takes sharpness away", "[sharpness]") {
    const GreyImage image = test::noise(400, 300, 7);
    const cv::Mat whole(image.height, image.width, CV_8UC1, const_cast<std::uint8_t*>(image.pixels.data()));
    for (const auto& [rect, kind] :
         {std::pair{Rect{10, 20, 200, 230}, cv::INTER_AREA}, std::pair{Rect{0, 0, 128, 64}, cv::INTER_AREA},
          std::pair{Rect{377, 250, 23, 41}, cv::INTER_LINEAR}}) {
        cv::Mat small;
        cv::resize(whole(cv::Rect(rect.x, rect.y, rect.width, rect.height)), small, {64, 64}, 0, 0, kind);
        const GreyImage resized{64, 64, {small.begin<std::uint8_t>(), small.end<std::uint8_t>()}};
        // Each rounds once more or less.
        const double expected = laplacian_variance(sums_of(resized, {0, 0, 64, 64}));
        CHECK(laplacian_variance(sums_of(image, rect)) == Approx(expected).epsilon(0.01));
    }
    double last = 1e9;
    for (const double sigma : {1.0, 2.0, 4.0}) {
        cv::Mat blurred;
        cv::GaussianBlur(whole, blurred, {}, sigma);
        const GreyImage face{400, 300, {blurred.begin<std::uint8_t>(), blurred.end<std::uint8_t>()}};
        const double now = laplacian_variance(sums_of(face, {40, 40, 100, 100}));
        CHECK(now < last / 2);
        last = now;
    }
}

TEST_CASE("a GPU measures the same sharpness", "[sharpness][cuda]") {
    const auto gpu = test::gpu();
    if (!gpu) return;
    const std::vector<GreyImage> images{test::noise(640, 480, 1), test::noise(1920, 1080, 2),
                                        test::noise(1, 1, 3)};
    std::vector<SharpnessTask> tasks{{2, {0, 0, 1, 1}}, {1, {0, 0, 1920, 1080}}, {0, {639, 0, 1, 480}}};
    for (int i = 1; i < 300; ++i) tasks.push_back({static_cast<std::uint32_t>(i % 2), {i, 2 * i % 90, i, i}});
    CHECK(sums_of(*gpu, images, tasks) == sums_of(Device::cpu(), images, tasks));
}
