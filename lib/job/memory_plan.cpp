#include "lib/job/memory_plan.hpp"

#include <algorithm>
#include <cmath>

#include "lib/core/error.hpp"
#include "lib/core/host_limits.hpp"
#include "lib/core/threads.hpp"
#include "lib/video/nvdec.hpp"
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
};

Shares shares_of(const MemoryRequest& request) {
    if (request.follows) return {10.0 / 16, 0, 1.0 / 16, 5.0 / 16};
    // GPUs decode videos themselves.
    if (request.video_packets == 0 || request.with_gpus) return {};
    return {1.0 / 8, 1.0 / 16, 1.0 / 8, 5.0 / 8};
}

// Empty: the CPU decodes all videos.
WhyNotOnGpu video_route(const JobMaterial& job, bool is_resident) {
    const VideoDecoderChoice choice = job.config.image.video_decoder;
    const bool is_demanded = choice == VideoDecoderChoice::nvdec;
    if (choice == VideoDecoderChoice::cpu || (!is_resident && !is_demanded)) return {};
    if (!job.device.is_cuda()) {
        throw UsageError(
            "NVDEC decodes for detection on a GPU, but it runs on the CPU; use --device cuda or "
            "--video-decoder cpu");
    }
    if (!is_resident) {
        throw UsageError(
            "NVDEC decodes for detectors on GPUs alone, and here are annotated boxes as well; use "
            "--video-decoder cpu");
    }
    if (!nvdec_library().loaded) {
        if (!is_demanded) return {};
        throw UsageError("videos cannot be decoded by NVDEC: " + nvdec_library().why_none +
                         "; use --video-decoder cpu");
    }
    return [gpus = job.device.gpus](const VideoSource& video) { return why_not_on_gpus(video, gpus); };
}

}  // namespace

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
        // A GPU wants many windows, and many files, at once: its JPEG engines wait between batches. The first
        // batches are small, so that they begin early.
        options.first_batch_images = 64;
        options.batch_images = 256;
        options.batch_bytes = bytes_of(256 * mebibyte);
    }
    return options;
}

double usable_megabytes(const RunConfig& config) {
    // Models, libraries and the page cache of what is written need the rest.
    constexpr double share = 0.75;
    const std::optional<std::size_t> allowed = host_limits().memory;
    if (!allowed) return config.memory_limit_megabytes;
    return std::min(config.memory_limit_megabytes, std::max(share * static_cast<double>(*allowed) / mebibyte,
                                                            static_cast<double>(min_memory_limit_megabytes)));
}

DetectImagesOptions plan_reading(const JobMaterial& job, bool is_resident, bool follows) {
    const ImageList& images = job.images.images;
    DetectImagesOptions options = plan_memory(
        {usable_megabytes(job.config), job.config.image.prefetch_megabytes, images.whole_size(),
         resolve_threads(job.config.threads), job.device.is_cuda(), images.max_video_packets(), follows});
    options.decode = decode_options(job.config.image);
    if (is_resident) options.gpus = job.device.gpus;
    if (images.has_frames()) options.why_not_on_gpu = video_route(job, is_resident);
    return options;
}

void limit_video_memory(const RunConfig& config) {
    MemoryRequest request;
    request.limit_megabytes = usable_megabytes(config);
    const double for_videos = bytes_for_images(request);
    limit_video_memory(VideoMemory{bytes_of(for_videos * 5 / 8), bytes_of(for_videos / 4)});
}

}  // namespace fovea
