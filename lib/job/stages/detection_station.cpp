#include "lib/job/stages/detection_station.hpp"

#include <algorithm>
#include <new>
#include <string>

#include "kernels/core/device.hpp"
#include "kernels/core/share_work.hpp"
#include "lib/image/frame_opener.hpp"
#include "lib/image/gpu_images.hpp"
#include "lib/job/stages/detect_batch.hpp"
#include "lib/job/stages/frame_loader.hpp"

namespace fovea {
namespace {

// Threads that detect on one GPU: while one of them prepares or takes apart a batch on the host, another's is
// scanned.
constexpr std::size_t workers_per_gpu = 3;

// Threads that bring batches to one GPU. One keeps the engines busy with pictures of 1080p, but not with
// small ones: it takes 40 us to parse and copy a file.
constexpr std::size_t loaders_per_gpu = 2;

// So many images at most are brought there by one: nvJPEG takes 0.1 s to make another, twice as long beside
// one that works, and the driver as long to let go of it when the program ends.
constexpr std::size_t images_for_one_loader = 20'000;

// Sessions for each of a GPU's decoding engines: one session leaves its engine idle while it waits for frames
// to be taken.
constexpr int sessions_per_engine = 2;

// Threads that decode a part on the CPU where the GPU's decoder has stopped.
constexpr int frame_fallback_threads = 2;

// Batches that wait on a GPU for its workers.
constexpr std::size_t batches_ahead = 2;

GpuShare share_of(const DetectImagesOptions& options) {
    return options.nvjpeg == NvJpegBackend::engines ? GpuShare::leave_room_for_nvjpeg : GpuShare::all;
}

std::string out_of_memory(const Device& device) {
    return device.name() +
           " has too little memory free for a batch of images; other programs may use it, and "
           "--device cpu needs none of it";
}

/// A GPU with what decodes for it, and the detectors of its workers.
struct GpuWorkplace {
    GpuWorkplace(int gpu, const StationContext& given)
        : context(given), device(Device::cuda(gpu, share_of(given.options))) {
        const bool is_small = context.images.size() - context.options.first <= images_for_one_loader;
        loaders.resize(is_small ? 1 : loaders_per_gpu);
        make_loader(0);
        make_frame_loaders(gpu);
        for (std::size_t i = 0; i < workers_per_gpu; ++i) {
            detectors.push_back(std::make_unique<BatchDetector>(
                context.images, context.tasks, context.options.truth, context.limit, &device));
        }
    }

    // Once for each. The first is there before the work begins.
    void make_loader(std::size_t i) {
        if (!loaders[i]) {
            loaders[i] = std::make_unique<GpuImageLoader>(device.index(), context.options.nvjpeg,
                                                          context.options.decode);
        }
    }

    // No more sessions than there are parts; all their decoders are made before the first part comes.
    void make_frame_loaders(int gpu) {
        const DetectImagesOptions& options = context.options;
        if (!options.why_not_on_gpu) return;
        const auto sessions = static_cast<std::size_t>(sessions_per_engine * std::max(1, nvdec_engines(gpu)));
        const FirstParts parts = first_parts(context.images, options.first, options.why_not_on_gpu, sessions);
        FrameLoaderOptions loader_options;
        loader_options.frames =
            video_read_options(options.decode, frame_fallback_threads, options.max_image_bytes);
        for (std::size_t i = 0; i < parts.count; ++i) {
            frame_loaders.push_back(
                std::make_unique<FrameLoader>(gpu, loader_options, context.times.video_decoding));
        }
        side_by_side(parts.count, [&](std::size_t i) { frame_loaders[i]->prepare(*parts.video); });
    }

    void load(GpuImageLoader& loader, Batch& batch) const {
        std::size_t encoded = 0;
        for (const LoadedImage& image : batch.images) encoded += image.jpeg.has_value();
        try {
            const GpuLoadCounts counts = loader.load(batch.images, *batch.resident);
            context.times.gpu_decoding.add(counts.decode_seconds);
            context.times.uploading.add(counts.upload_seconds);
        } catch (const std::bad_alloc&) {
            throw DeviceError(out_of_memory(device));
        }
        if (context.quota != nullptr) context.quota->release(encoded);
    }

    void load(FrameLoader& loader, Batch& batch, const BatchStation::Pieces& pieces) const {
        try {
            loader.load(batch, pieces);
        } catch (const std::bad_alloc&) {
            throw DeviceError(out_of_memory(device));
        }
    }

    void detect(BatchDetector& detector, Batch& batch) const {
        try {
            detector.run(batch, context.times.detecting, context.times.describing);
        } catch (const std::bad_alloc&) {
            throw DeviceError(out_of_memory(device));
        }
    }

    std::optional<EngineCounters> counters(std::size_t task) const {
        std::optional<EngineCounters> sum;
        for (const auto& detector : detectors) {
            const std::optional<EngineCounters> counted_here = detector->counters(task);
            if (!counted_here) continue;
            if (!sum) sum.emplace();
            *sum += *counted_here;
        }
        return sum;
    }

    const StationContext context;
    Device device;
    std::vector<std::unique_ptr<GpuImageLoader>> loaders;
    std::vector<std::unique_ptr<FrameLoader>> frame_loaders;
    std::vector<std::unique_ptr<BatchDetector>> detectors;
};

}  // namespace

DetectionStation make_gpu_station(int gpu, const StationContext& context) {
    const auto place = std::make_shared<GpuWorkplace>(gpu, context);
    DetectionStation station;
    station.work.batches_ahead = batches_ahead;
    for (const auto& loader : place->loaders) {
        station.work.loaders.push_back([place, &loader](Batch& batch) { place->load(*loader, batch); });
    }
    station.work.prepare_loader = [place](std::size_t loader) {
        try {
            place->make_loader(loader);
        } catch (const std::bad_alloc&) {
            throw DeviceError(out_of_memory(place->device));
        }
    };
    for (const auto& loader : place->frame_loaders) {
        station.work.frame_loaders.push_back(
            [place, &loader](Batch& batch, const BatchStation::Pieces& pieces) {
                place->load(*loader, batch, pieces);
            });
    }
    for (const auto& detector : place->detectors) {
        station.work.workers.push_back([place, &detector](Batch& batch) { place->detect(*detector, batch); });
    }
    station.counters = [place](std::size_t task) { return place->counters(task); };
    return station;
}

DetectionStation make_host_station(const StationContext& context) {
    const auto detector = std::make_shared<BatchDetector>(context.images, context.tasks,
                                                          context.options.truth, context.limit, nullptr);
    DetectionStation station;
    station.work.workers.push_back([detector, &times = context.times](Batch& batch) {
        detector->run(batch, times.detecting, times.describing);
    });
    station.counters = [](std::size_t) { return std::nullopt; };
    return station;
}

}  // namespace fovea
