#include "lib/job/memory_plan.hpp"

#include <algorithm>
#include <cmath>

#include "lib/video/video_file.hpp"

namespace fovea {
namespace {

constexpr double mebibyte = 1 << 20;

// Memory of the program itself: libraries, models, scanning.
// GPUs add CUDA's libraries and their work on a batch.
constexpr double base_bytes = 96 * mebibyte;
constexpr double base_bytes_with_gpus = 512 * mebibyte;

// Each reading thread holds the beginning of a file, and one that is packed holds its unpacker, too.
constexpr double reader_bytes = 2 * mebibyte;

std::size_t bytes_of(double bytes) {
    return static_cast<std::size_t>(std::max(bytes, mebibyte));
}

// The memory per image of the list, approximately.
constexpr double listed_bytes = 96;
// The memory per packet of an open video, by which it is found in the file.
constexpr double packet_bytes = 32;

double bytes_for_images(const MemoryRequest& request) {
    const double limit = request.limit_megabytes * mebibyte;
    const double base = request.with_gpus ? base_bytes_with_gpus : base_bytes;
    const double lists = listed_bytes * static_cast<double>(request.images) +
                         packet_bytes * static_cast<double>(request.video_packets);
    return std::max(limit - base - lists, limit / 4);
}

/// Shares of the memory for images.
struct Shares {
    double batches = 3.0 / 8;
    double spare = 1.0 / 8;
    double ahead = 1.0 / 4;
    /// The share of one image, which may be decoded with nothing beside it, or of a video's decoder, which is
    /// always beside the rest.
    double decoded = 5.0 / 8;
    double followed = 0;
};

Shares shares_of(const MemoryRequest& request) {
    if (request.follows) return {0, 0, 1.0 / 16, 5.0 / 16, 10.0 / 16};
    // GPUs decode videos themselves.
    if (request.video_packets == 0 || request.with_gpus) return {};
    return {1.0 / 8, 1.0 / 16, 1.0 / 8, 5.0 / 8, 0};
}

}  // namespace

MemoryRequest memory_request(const RunConfig& config, const ImageList& images, int threads, bool with_gpus) {
    MemoryRequest request;
    request.limit_megabytes = config.memory_limit_megabytes;
    request.prefetch_megabytes = config.image.prefetch_megabytes;
    request.images = images.whole_size();
    request.threads = threads;
    request.with_gpus = with_gpus;
    request.video_packets = images.max_video_packets();
    return request;
}

std::size_t unpacker_bytes(double limit_megabytes) {
    // Dictionaries are 64 MiB at most where nobody asked for more.
    return bytes_of(limit_megabytes * mebibyte * 5 / 16);
}

DetectImagesOptions plan_memory(const MemoryRequest& request) {
    DetectImagesOptions options;
    options.threads = request.threads;
    const double for_images = bytes_for_images(request);
    const Shares shares = shares_of(request);
    // Batches, spare memory, and what waits to become a batch: or one larger image that is decoded with
    // nothing beside it.
    options.host_bytes = bytes_of(for_images * shares.batches);
    options.spare_bytes = bytes_of(for_images * shares.spare);
    options.prefetch_bytes =
        bytes_of(std::ceil(std::min(request.prefetch_megabytes * mebibyte, for_images * shares.ahead)));
    options.max_image_bytes = bytes_of(for_images * shares.decoded);
    options.max_unpacker_bytes = unpacker_bytes(request.limit_megabytes);
    options.max_readers = static_cast<int>(
        std::max(1.0, std::floor(static_cast<double>(options.prefetch_bytes) / reader_bytes)));
    // Enough images for every thread, few enough that progress is seen and an interruption is heard.
    options.batch_images = static_cast<std::size_t>(std::clamp(2 * request.threads, 8, 64));
    options.batch_bytes = bytes_of(std::min(64 * mebibyte, for_images * shares.batches / 3));
    if (request.with_gpus) {
        // A GPU wants many windows, and many files, at once; with twice as much it is no faster, and the
        // pictures of a batch that is let go no longer fit into the spare memory.
        options.batch_images = 256;
        options.batch_bytes = bytes_of(128 * mebibyte);
    }
    return options;
}

std::size_t plan_followed_bytes(const MemoryRequest& request) {
    return bytes_of(bytes_for_images(request) * shares_of(request).followed);
}

void limit_video_memory(const RunConfig& config) {
    MemoryRequest request;
    request.limit_megabytes = config.memory_limit_megabytes;
    const double for_videos = bytes_for_images(request);
    limit_video_memory(VideoMemory{bytes_of(for_videos * 5 / 8), bytes_of(for_videos / 4)});
}

}  // namespace fovea
