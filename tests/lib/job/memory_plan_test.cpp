#include "lib/job/memory_plan.hpp"

#include <catch2/catch.hpp>

using namespace fovea;

namespace {

constexpr std::size_t mebibytes(std::size_t count) {
    return count << 20;
}

}  // namespace

TEST_CASE("memory plan: the default limit on the CPU", "[job]") {
    MemoryRequest request;
    request.threads = 16;
    const DetectImagesOptions options = plan_memory(request);
    // 2048 - 96 = 1952 MiB for images.
    CHECK(options.host_bytes == mebibytes(732));
    CHECK(options.spare_bytes == mebibytes(244));
    CHECK(options.prefetch_bytes == mebibytes(256));
    CHECK(options.max_image_bytes == mebibytes(1220));
    CHECK(options.max_readers == 128);
    CHECK(options.batch_images == 32);
    CHECK(options.batch_bytes == mebibytes(64));
    CHECK(options.threads == 16);
}

TEST_CASE("memory plan: a small limit makes everything small", "[job]") {
    MemoryRequest request;
    request.limit_megabytes = 256;
    request.threads = 1;
    const DetectImagesOptions options = plan_memory(request);
    // 160 MiB for images.
    CHECK(options.host_bytes == mebibytes(60));
    CHECK(options.spare_bytes == mebibytes(20));
    CHECK(options.prefetch_bytes == mebibytes(40));
    CHECK(options.max_image_bytes == mebibytes(100));
    CHECK(options.max_readers == 20);
    CHECK(options.batch_images == 8);
    CHECK(options.batch_bytes == mebibytes(20));
}

TEST_CASE("memory plan: long lists and GPUs take their part, but leave a quarter for images", "[job]") {
    MemoryRequest request;
    request.limit_megabytes = 1096;
    request.images = std::size_t{5} << 20;  // 96 bytes each: 480 MiB
    CHECK(plan_memory(request).host_bytes == mebibytes(195));
    request.with_gpus = true;
    // 1096 - 512 - 480 = 104 MiB are less than a quarter.
    const DetectImagesOptions options = plan_memory(request);
    CHECK(options.max_image_bytes * 8 == mebibytes(274) * 5);
    CHECK(options.batch_images == 256);
    CHECK(options.batch_bytes == mebibytes(256));
    CHECK(options.first_batch_images == 64);
}

TEST_CASE("memory plan: parts never add up to more than the limit leaves", "[job]") {
    for (const double limit : {256.0, 300.0, 777.0, 2048.0, 65536.0}) {
        for (const double prefetch : {1.0, 64.0, 256.0, 1e6}) {
            MemoryRequest request;
            request.limit_megabytes = limit;
            request.prefetch_megabytes = prefetch;
            const DetectImagesOptions options = plan_memory(request);
            CAPTURE(limit, prefetch);
            CHECK(static_cast<double>(options.host_bytes + options.spare_bytes + options.prefetch_bytes) <=
                  (limit - 96) * 1048576);
            CHECK(options.max_readers >= 1);
        }
    }
}

TEST_CASE("memory plan: a video's decoder is beside all else, and its index is counted", "[job]") {
    MemoryRequest request;
    request.limit_megabytes = 256;
    request.video_packets = 1'000'000;  // 32 bytes each
    request.images = 500'000;           // 96 bytes each
    const DetectImagesOptions options = plan_memory(request);
    const double for_images = 160.0 * 1048576 - 32e6 - 48e6;
    const std::size_t all =
        options.host_bytes + options.spare_bytes + options.prefetch_bytes + options.max_image_bytes;
    CHECK(static_cast<double>(all) <= for_images);
    CHECK(static_cast<double>(all) > for_images * 0.9);
    // GPUs have decoders of their own.
    request.with_gpus = true;
    request.limit_megabytes = 4096;
    CHECK(plan_memory(request).host_bytes > plan_memory(request).max_image_bytes / 2);
}

TEST_CASE("memory plan: frames whose faces are followed take most of it", "[job]") {
    MemoryRequest request;
    request.limit_megabytes = 256;
    request.follows = true;
    request.video_packets = 1;
    const DetectImagesOptions options = plan_memory(request);
    CHECK(options.max_image_bytes + 32 >= mebibytes(50));
    CHECK(options.host_bytes + 32 >= mebibytes(100));
    CHECK(options.max_image_bytes + options.prefetch_bytes + options.host_bytes <= mebibytes(160));
}
