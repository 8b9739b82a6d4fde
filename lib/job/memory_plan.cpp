#include "lib/job/memory_plan.hpp"

#include <algorithm>
#include <cmath>

namespace fovea {
namespace {

constexpr double mebibyte = 1 << 20;

// Memory of the program itself: libraries, models, scanning. With GPUs also CUDA's libraries and their work
// on a batch.
constexpr double base_bytes = 96 * mebibyte;
constexpr double base_bytes_with_gpus = 512 * mebibyte;

// Each reading thread holds the beginning of a file, and one that is packed holds its unpacker, too.
constexpr double reader_bytes = 2 * mebibyte;

std::size_t bytes_of(double bytes) {
    return static_cast<std::size_t>(std::max(bytes, mebibyte));
}

// The memory per image of the list, approximately.
constexpr double listed_bytes = 96;

}  // namespace

DetectImagesOptions plan_memory(const MemoryRequest& request) {
    DetectImagesOptions options;
    options.threads = request.threads;
    const double limit = request.limit_megabytes * mebibyte;
    const double base = request.with_gpus ? base_bytes_with_gpus : base_bytes;
    const double for_images =
        std::max(limit - base - listed_bytes * static_cast<double>(request.images), limit / 4);
    // Batches, spare memory, and what waits to become a batch: or one larger image that is decoded with
    // nothing beside it.
    options.host_bytes = bytes_of(for_images * 3 / 8);
    options.spare_bytes = bytes_of(for_images / 8);
    options.prefetch_bytes =
        bytes_of(std::ceil(std::min(request.prefetch_megabytes * mebibyte, for_images / 4)));
    options.max_image_bytes = bytes_of(for_images * 5 / 8);
    options.max_readers = static_cast<int>(
        std::max(1.0, std::floor(static_cast<double>(options.prefetch_bytes) / reader_bytes)));
    // Enough images for every thread, few enough that progress is seen and an interruption is heard.
    options.batch_images = static_cast<std::size_t>(std::clamp(2 * request.threads, 8, 64));
    options.batch_bytes = bytes_of(std::min(64 * mebibyte, for_images / 8));
    if (request.with_gpus) {
        // A GPU wants many windows, and many files, at once; with twice as much it is no faster, and the
        // pictures of a batch that is let go no longer fit into the spare memory.
        options.batch_images = 256;
        options.batch_bytes = bytes_of(128 * mebibyte);
    }
    return options;
}

}  // namespace fovea
