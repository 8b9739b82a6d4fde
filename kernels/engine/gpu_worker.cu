#include <algorithm>
#include <new>
#include <utility>

#include "kernels/core/device.hpp"
#include "kernels/engine/gpu_worker.cuh"

namespace fovea::cuda_backend {
namespace {

void check_gpu(int gpu) {
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess) cudaGetLastError();
    if (status == cudaSuccess && gpu >= 0 && gpu < count) return;
    std::string why;
    if (cuda_devices(&why).size() > 0)
        why = "CUDA sees " + std::to_string(count) + " GPU" + (count == 1 ? "" : "s") + ", numbered from 0";
    throw DeviceError("cannot use cuda:" + std::to_string(gpu) + ": " + why);
}

}  // namespace

GpuWorker::GpuWorker(const GpuCascadeKind& kind, int gpu, const EngineOptions& options)
    : gpu_(gpu), options_(options) {
    check_gpu(gpu);
    check(cudaSetDevice(gpu), gpu, "selecting the device");
    cascade_ = kind.make_cascade(gpu);
    for (int i = 0; i < (options.streams ? 3 : 1); ++i) {
        batches_.push_back(std::make_unique<GpuBatch>(gpu, *cascade_, options, counters_));
    }
}

std::vector<CascadeResult> GpuWorker::run(std::span<const ScanJob> jobs, int min_neighbors,
                                          const GroupLandmarks* landmarks, ImageMemory memory) {
    const std::lock_guard lock(mutex_);
    const BatchRequest request{min_neighbors, landmarks_here(landmarks), memory};
    std::vector<CascadeResult> findings(jobs.size());
    std::deque<Part> parts = divide(jobs, memory);
    std::deque<std::pair<GpuBatch*, Part>> running;
    const auto collect = [&] {
        const auto [batch, part] = running.front();
        running.pop_front();
        collect_into(*batch, part, parts, findings);
    };
    try {
        std::size_t next = 0;
        while (!parts.empty() || !running.empty()) {
            if (parts.empty() || running.size() == batches_.size()) {
                collect();
                continue;
            }
            const Part part = parts.front();
            if (part.is_retry && !running.empty()) {
                collect();
                continue;
            }
            parts.pop_front();
            if (part.is_retry) release_memory();
            GpuBatch& batch = *batches_[next++ % batches_.size()];
            while (batch.busy()) collect();
            try {
                batch.start(jobs.subspan(part.jobs.first, part.jobs.count), request);
            } catch (const std::bad_alloc&) {
                while (!running.empty()) collect();
                shrink(part, parts);
                continue;
            }
            running.emplace_back(&batch, part);
            if (part.is_retry) collect();
        }
    } catch (...) {
        for (const auto& batch : batches_) batch->abandon();
        throw;
    }
    return findings;
}

std::vector<RectGroup> GpuWorker::group(std::span<const CascadeWindow> windows, std::span<const Rect> rects,
                                        int min_neighbors) {
    const std::lock_guard lock(mutex_);
    check(cudaSetDevice(gpu_), gpu_, "selecting the device");
    if (windows.empty()) return {};
    if (windows.size() <= static_cast<std::size_t>(max_windows_grouped)) {
        try {
            return batches_[0]->group(windows, rects, min_neighbors);
        } catch (const std::bad_alloc&) {
            // The host has them anyway.
        }
    }
    ++counters_.host_groupings;
    return group_windows_on_host(windows, rects, min_neighbors, cascade_->group_score());
}

WindowTrace GpuWorker::trace(const ScanJob& job) {
    const std::lock_guard lock(mutex_);
    return batches_[0]->trace(job);
}

std::vector<PartTimes> GpuWorker::measure(std::span<const ScanJob> jobs, int min_neighbors, int repeat) {
    const std::lock_guard lock(mutex_);
    return batches_[0]->measure(jobs, min_neighbors, repeat);
}

EngineCounters GpuWorker::counters() const {
    const std::lock_guard lock(mutex_);
    return counters_;
}

BatchLandmarks GpuWorker::landmarks_here(const GroupLandmarks* landmarks) const {
    BatchLandmarks wanted;
    if (landmarks == nullptr) return wanted;
    for (GpuLandmarks* const model : landmarks->models) {
        if (model->device() == gpu_) wanted = {model, landmarks->face, landmarks->edges};
    }
    return wanted;
}

std::deque<GpuWorker::Part> GpuWorker::divide(std::span<const ScanJob> jobs, ImageMemory memory) const {
    constexpr std::size_t max_images = 256;
    std::deque<Part> parts;
    for (const IndexRange& range : divide_by_pixels(jobs, max_pixels_of_part(jobs, memory), max_images)) {
        parts.push_back({range, false});
    }
    return parts;
}

// Parts are large enough to fill the GPU, and several, so that the next is prepared, and copied if it must
// be, while one is scanned.
std::size_t GpuWorker::max_pixels_of_part(std::span<const ScanJob> jobs, ImageMemory memory) const {
    constexpr std::size_t max_pixels = 16 << 20;
    // Nothing is copied that could overlap, and every launch costs the same: few large parts, but none whose
    // codes take a gigabyte, from which on memory is given back when less is needed.
    constexpr std::size_t max_pixels_resident = 32 << 20;
    constexpr std::size_t max_pixels_alone = 256 << 20;
    if (!options_.streams) return max_pixels_alone;
    if (memory == ImageMemory::host) return max_pixels;
    std::size_t sum = 0, largest = 0;
    for (const ScanJob& job : jobs) {
        sum += pixel_count(job);
        largest = std::max(largest, pixel_count(job));
    }
    // The parts are as many as the batches at once, and of about the same size.
    return std::clamp(sum / batches_.size() + largest, max_pixels, max_pixels_resident);
}

void GpuWorker::collect_into(GpuBatch& batch, const Part& part, std::deque<Part>& parts,
                             std::vector<CascadeResult>& findings) {
    try {
        std::vector<CascadeResult> found = batch.collect();
        std::move(found.begin(), found.end(),
                  findings.begin() + static_cast<std::ptrdiff_t>(part.jobs.first));
    } catch (const std::bad_alloc&) {
        shrink(part, parts);
    }
}

void GpuWorker::release_memory() noexcept {
    for (const auto& batch : batches_) {
        if (!batch->busy()) batch->release_memory();
    }
}

// A part for which the memory did not suffice is done again in halves; one image alone once more, with
// nothing beside it.
void GpuWorker::shrink(const Part& part, std::deque<Part>& parts) {
    if (part.is_retry) throw std::bad_alloc();
    release_memory();
    ++counters_.shrinks;
    const auto [first, count] = part.jobs;
    if (count == 1) {
        parts.push_front({part.jobs, true});
        return;
    }
    const std::size_t half = count / 2;
    parts.push_front({{first + half, count - half}, false});
    parts.push_front({{first, half}, false});
}

}  // namespace fovea::cuda_backend
