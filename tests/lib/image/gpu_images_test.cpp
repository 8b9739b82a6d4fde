#include "lib/image/gpu_images.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include <catch2/catch.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "lib/image/read_grey.hpp"
#include "tests/support/encoders.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/images.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

JpegFrame common_frame() {
    JpegFrame frame;
    frame.size = {640, 480};
    frame.components = 3;
    frame.baseline = frame.complete = frame.subsampling_common = frame.ycc_or_grey = true;
    return frame;
}

// Smooth enough that decoders differ by rounding alone.
ByteVector photograph(int width, int height, int orientation) {
    cv::Mat picture = colour_picture(width, height);
    cv::GaussianBlur(picture, picture, {5, 5}, 2);
    const ByteVector jpeg = encode_jpeg(picture, 2);
    return orientation == 1 ? jpeg : with_exif(jpeg, make_exif(orientation, false));
}

LoadedImage kept(const ByteVector& jpeg) {
    const auto frame = read_jpeg_frame(jpeg);
    REQUIRE(frame);
    LoadedImage image;
    const bool exchanged = frame->orientation >= 5;
    image.size = {exchanged ? frame->size.height : frame->size.width,
                  exchanged ? frame->size.width : frame->size.height};
    image.jpeg = EncodedJpeg{jpeg, *frame};
    return image;
}

std::optional<NvJpegBackend> backend_of(const Device& device) {
    for (const NvJpegBackend backend : {NvJpegBackend::engines, NvJpegBackend::multiprocessors}) {
        try {
            const NvJpegDecoder decoder(device, backend);
            return backend;
        } catch (const NvJpegUnavailable&) {
        }
    }
    return std::nullopt;
}

// nullptr, and the test is reported as not run, where there is no GPU or no nvJPEG.
std::unique_ptr<GpuImageLoader> gpu_loader() {
    const auto device = gpu();
    if (!device) return nullptr;
    const auto backend = backend_of(*device);
    if (!backend) {
        WARN("not run: nvJPEG is not there");
        return nullptr;
    }
    return std::make_unique<GpuImageLoader>(device->index(), backend, DecodeOptions{});
}

// In grey values, of images of the same size.
int largest_difference(const GreyImage& a, const GreyImage& b) {
    int largest = 0;
    for (std::size_t i = 0; i < a.pixels.size(); ++i)
        largest = std::max(largest, std::abs(int(a.pixels[i]) - int(b.pixels[i])));
    return largest;
}

}  // namespace

TEST_CASE("nvJPEG is given what it decodes alike wherever it stands", "[image][nvjpeg]") {
    const NvJpegBackend engines = NvJpegBackend::engines;
    CHECK(nvjpeg_takes(common_frame(), engines));
    for (const auto change : {&JpegFrame::baseline, &JpegFrame::complete, &JpegFrame::subsampling_common,
                              &JpegFrame::ycc_or_grey}) {
        JpegFrame frame = common_frame();
        frame.*change = false;
        CHECK_FALSE(nvjpeg_takes(frame, engines));
        CHECK_FALSE(nvjpeg_takes(frame, NvJpegBackend::multiprocessors));
    }
    JpegFrame wide = common_frame();
    wide.size = {16384, 10};
    CHECK(nvjpeg_takes(wide, engines));
    wide.size = {16385, 10};
    CHECK_FALSE(nvjpeg_takes(wide, engines));
    CHECK(nvjpeg_takes(wide, NvJpegBackend::multiprocessors));
}

TEST_CASE("images come to a GPU as they are to be displayed, whoever decodes them",
          "[image][nvjpeg][cuda][cuda-small]") {
    const auto loader_here = gpu_loader();
    if (!loader_here) return;
    GpuImageLoader& loader = *loader_here;
    std::vector<ByteVector> files;
    for (int orientation = 1; orientation <= 8; ++orientation)
        files.push_back(photograph(75, 50, orientation));
    files.push_back(photograph(1, 1, 1));
    files.push_back(photograph(300, 17, 6));

    std::vector<LoadedImage> batch;
    for (const ByteVector& file : files) batch.push_back(kept(file));
    LoadedImage decoded;
    decoded.image = smooth_noise(33, 21, 3, 7);
    decoded.size = {33, 21};
    batch.push_back(decoded);
    LoadedImage broken;
    broken.unreadable = "no image";
    batch.push_back(broken);
    ResidentImages resident;
    const GpuLoadCounts counts = loader.load(batch, resident);
    CHECK(counts.by_nvjpeg == files.size());
    CHECK(counts.refused == 0);
    REQUIRE(resident.views().size() == batch.size());
    CHECK(resident.views().back().empty());
    CHECK(resident.to_host(loader.device(), files.size()).pixels == decoded.image.pixels);
    for (std::size_t i = 0; i < files.size(); ++i) {
        CAPTURE(i);
        const GreyImage expected = decode_grey_image(files[i]);
        const GreyImage found = resident.to_host(loader.device(), i);
        REQUIRE(found.width == expected.width);
        REQUIRE(found.height == expected.height);
        CHECK(largest_difference(found, expected) <= 3);
        // The same bytes alone as in a batch.
        std::vector<LoadedImage> alone;
        alone.push_back(kept(files[i]));
        ResidentImages one;
        loader.load(alone, one);
        CHECK(one.to_host(loader.device(), 0).pixels == found.pixels);
    }
}

TEST_CASE("pictures may grow beyond what nvJPEG has made room for", "[image][nvjpeg][cuda]") {
    const auto loader_here = gpu_loader();
    if (!loader_here) return;
    GpuImageLoader& loader = *loader_here;
    ResidentImages resident;
    for (const Size size :
         {Size{33, 20}, {500, 375}, {20, 700}, {1500, 900}, {4500, 40}, {4100, 4200}, {64, 64}}) {
        CAPTURE(size.width, size.height);
        std::vector<LoadedImage> batch;
        const ByteVector jpeg = photograph(size.width, size.height, 1);
        for (int i = 0; i < 20; ++i) batch.push_back(kept(jpeg));
        const GpuLoadCounts counts = loader.load(batch, resident);
        CHECK(counts.by_nvjpeg == 20);
        const GreyImage expected = decode_grey_image(jpeg);
        for (const std::size_t i : {std::size_t{0}, std::size_t{19}}) {
            const GreyImage found = resident.to_host(loader.device(), i);
            REQUIRE(found.pixels.size() == expected.pixels.size());
            CHECK(largest_difference(found, expected) <= 4);
        }
    }
}

TEST_CASE("a loader after another finds nvJPEG as a first one does", "[image][nvjpeg][cuda]") {
    if (!gpu_loader()) return;
    const auto loaded = [](Size size, int count) {
        const ByteVector jpeg = photograph(size.width, size.height, 1);
        std::vector<LoadedImage> batch;
        for (int i = 0; i < count; ++i) batch.push_back(kept(jpeg));
        const auto loader = gpu_loader();
        ResidentImages resident;
        CHECK(loader->load(batch, resident).by_nvjpeg == static_cast<std::size_t>(count));
        return resident.to_host(loader->device(), static_cast<std::size_t>(count) - 1).pixels;
    };
    const auto first = loaded({500, 375}, 4);
    // Other sizes of pictures and batches in between, and one that was refused.
    loaded({900, 700}, 20);
    loaded({40, 30}, 1);
    {
        std::vector<LoadedImage> batch;
        batch.push_back(kept(encode(".jpg", colour_picture(40, 30), {cv::IMWRITE_JPEG_PROGRESSIVE, 1})));
        ResidentImages resident;
        gpu_loader()->load(batch, resident);
    }
    CHECK(loaded({500, 375}, 4) == first);
    CHECK(loaded({500, 375}, 7) == first);
}

TEST_CASE("what nvJPEG refuses is decoded on the CPU", "[image][nvjpeg][cuda][cuda-small]") {
    const auto loader_here = gpu_loader();
    if (!loader_here) return;
    GpuImageLoader& loader = *loader_here;
    std::vector<LoadedImage> batch;
    const ByteVector good = photograph(64, 48, 1);
    batch.push_back(kept(good));
    // Progressive, said to be what nvJPEG takes.
    const ByteVector progressive = encode(".jpg", colour_picture(40, 30), {cv::IMWRITE_JPEG_PROGRESSIVE, 1});
    batch.push_back(kept(progressive));
    ResidentImages resident;
    const GpuLoadCounts counts = loader.load(batch, resident);
    CHECK(counts.by_nvjpeg + counts.refused == 2);
    REQUIRE(batch[1].unreadable.empty());
    const GreyImage found = resident.to_host(loader.device(), 1);
    const GreyImage expected = decode_grey_image(progressive);
    REQUIRE(found.width == 40);
    if (counts.refused == 1) CHECK(found.pixels == expected.pixels);
}
