#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "kernels/engine/gpu_scanner.cuh"
#include "kernels/landmark/gpu_landmarks.hpp"

namespace fovea::cuda_backend {
namespace {

void check_device(int device) {
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess) cudaGetLastError();
    if (status == cudaSuccess && device >= 0 && device < count) return;
    throw DeviceError("cannot use cuda:" + std::to_string(device) + ": CUDA sees " +
                      (status != cudaSuccess ? std::string("no GPU: ") + cudaGetErrorString(status)
                       : count == 0
                           ? "no GPU"
                           : std::to_string(count) + " GPU" + (count == 1 ? "" : "s") + ", numbered from 0"));
}

std::size_t pixels_of(const ScanJob& job) {
    return static_cast<std::size_t>(std::max(job.image.width, 0)) *
           static_cast<std::size_t>(std::max(job.image.height, 0));
}

}  // namespace

GpuScanner::GpuScanner(int device, const EngineVariant& variant,
                       const std::function<std::unique_ptr<ScanModel>(int)>& make_cascade)
    : device_(device), variant_(variant) {
    check_device(device);
    check(cudaSetDevice(device), device, "selecting the device");
    model_ = make_cascade(device);
    for (int i = 0; i < (variant.streams ? 3 : 1); ++i) {
        slots_.push_back(std::make_unique<Slot>(device, *model_, variant, counters_));
    }
}

std::vector<CascadeFindings> GpuScanner::run(std::span<const ScanJob> jobs, int min_neighbors,
                                             const GroupLandmarks* landmarks, ImageMemory memory) {
    const SlotLandmarks wanted = landmarks_here(landmarks);
    std::vector<CascadeFindings> findings(jobs.size());
    std::deque<Part> parts = divide(jobs, memory);
    std::deque<std::pair<Slot*, Part>> running;
    const auto collect = [&] {
        const auto [slot, part] = running.front();
        running.pop_front();
        collect_into(*slot, part, parts, findings);
    };
    try {
        std::size_t next = 0;
        while (!parts.empty() || !running.empty()) {
            if (parts.empty() || running.size() == slots_.size()) {
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
            Slot& slot = *slots_[next++ % slots_.size()];
            while (slot.busy()) collect();
            try {
                slot.start(jobs.subspan(part.first, part.count), min_neighbors, wanted, memory);
            } catch (const std::bad_alloc&) {
                while (!running.empty()) collect();
                shrink(part, parts);
                continue;
            }
            running.emplace_back(&slot, part);
            if (part.is_retry) collect();
        }
    } catch (...) {
        for (const auto& slot : slots_) slot->abandon();
        throw;
    }
    return findings;
}

std::vector<RectGroup> GpuScanner::group(std::span<const CascadeWindow> windows, std::span<const Rect> rects,
                                         int min_neighbors) {
    check(cudaSetDevice(device_), device_, "selecting the device");
    if (windows.empty()) return {};
    if (windows.size() <= static_cast<std::size_t>(most_windows_grouped)) {
        try {
            return slots_[0]->group(windows, rects, min_neighbors);
        } catch (const std::bad_alloc&) {
            // The host has them anyway.
        }
    }
    ++counters_.host_groupings;
    return group_rects_of(windows, rects, min_neighbors, model_->group_score());
}

SlotLandmarks GpuScanner::landmarks_here(const GroupLandmarks* landmarks) const {
    SlotLandmarks wanted;
    if (landmarks == nullptr) return wanted;
    for (GpuLandmarks* const model : landmarks->models) {
        if (model->device() == device_) wanted = {model, landmarks->face, landmarks->edges};
    }
    return wanted;
}

// How many bytes of images run together. Parts are large enough to fill the GPU, and several, so that the next is
// prepared, and copied if it must be, while one is scanned.
std::size_t GpuScanner::most_bytes_of_part(std::span<const ScanJob> jobs, ImageMemory memory) const {
    constexpr std::size_t most_bytes = 16 << 20;
    // Nothing is copied that could overlap, and every launch costs the same: few large parts, but none whose codes
    // take a gigabyte, from which on memory is given back when less is needed.
    constexpr std::size_t most_bytes_resident = 32 << 20;
    constexpr std::size_t most_bytes_alone = 256 << 20;
    if (!variant_.streams) return most_bytes_alone;
    if (memory == ImageMemory::host) return most_bytes;
    std::size_t sum = 0, largest = 0;
    for (const ScanJob& job : jobs) {
        sum += pixels_of(job);
        largest = std::max(largest, pixels_of(job));
    }
    // As many parts as there are slots, of about the same size.
    return std::clamp(sum / slots_.size() + largest, most_bytes, most_bytes_resident);
}

std::deque<GpuScanner::Part> GpuScanner::divide(std::span<const ScanJob> jobs, ImageMemory memory) const {
    constexpr std::size_t most_images = 256;
    const std::size_t limit = most_bytes_of_part(jobs, memory);
    std::deque<Part> parts;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const std::size_t size = pixels_of(jobs[i]);
        if (parts.empty() || bytes + size > limit || parts.back().count == most_images) {
            parts.push_back({i, 0, false});
            bytes = 0;
        }
        ++parts.back().count;
        bytes += size;
    }
    return parts;
}

void GpuScanner::collect_into(Slot& slot, const Part& part, std::deque<Part>& parts,
                              std::vector<CascadeFindings>& findings) {
    try {
        std::vector<CascadeFindings> found = slot.collect();
        std::move(found.begin(), found.end(), findings.begin() + part.first);
    } catch (const std::bad_alloc&) {
        shrink(part, parts);
    }
}

void GpuScanner::release_memory() noexcept {
    for (const auto& slot : slots_) {
        if (!slot->busy()) slot->release_memory();
    }
}

// A part for which the memory did not suffice is done again in halves; one image alone once more, with
// nothing beside it.
void GpuScanner::shrink(const Part& part, std::deque<Part>& parts) {
    if (part.is_retry) throw std::bad_alloc();
    release_memory();
    ++counters_.shrinks;
    if (part.count == 1) {
        parts.push_front({part.first, 1, true});
        return;
    }
    const std::size_t half = part.count / 2;
    parts.push_front({part.first + half, part.count - half, false});
    parts.push_front({part.first, half, false});
}

}  // namespace fovea::cuda_backend
