#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "kernels/core/share_work.hpp"
#include "kernels/engine/gpu_engine.hpp"
#include "kernels/engine/gpu_worker.cuh"

namespace fovea::cuda_backend {
namespace {

/// One GPU, or several that share the work: the images of a batch, or the levels of one large image alone
/// (Tek 2012).
class GpuEngine : public CascadeEngine {
  public:
    GpuEngine(const GpuCascadeKind& kind, std::span<const int> gpus, const EngineOptions& options)
        : kind_(kind) {
        for (const int gpu : gpus) workers_.push_back(std::make_unique<GpuWorker>(kind, gpu, options));
    }

    std::vector<CascadeResult> detect(const ImageBatch& images, const CascadeScan& scan,
                                      const GroupLandmarks* landmarks) override {
        check_can_read(images);
        const std::vector<ScanJob> jobs = jobs_of(images.views, scan.parameters);
        const int min_neighbors = std::max(scan.min_neighbors, 0);
        images_ += jobs.size();
        if (!images.is_on_gpu()) return share(jobs, min_neighbors, landmarks);
        const auto worker = std::find_if(workers_.begin(), workers_.end(),
                                         [&](const auto& one) { return one->gpu() == images.gpu; });
        return (*worker)->run(jobs, min_neighbors, landmarks, ImageMemory::device);
    }

    WindowTrace trace(ImageView<const std::uint8_t> image, const ScanParameters& parameters) override {
        return workers_[0]->trace(jobs_of({&image, 1}, parameters).at(0));
    }

    EngineTimes measure(std::span<const ImageView<const std::uint8_t>> images, const CascadeScan& scan,
                        int repeat) override {
        const std::vector<ScanJob> jobs = jobs_of(images, scan.parameters);
        const int min_neighbors = std::max(scan.min_neighbors, 0);
        EngineTimes times;
        constexpr int warm_up = 3;
        for (int i = -warm_up; i < repeat; ++i) {
            const auto start = std::chrono::steady_clock::now();
            share(jobs, min_neighbors, nullptr);
            const std::chrono::duration<double, std::milli> elapsed =
                std::chrono::steady_clock::now() - start;
            if (i >= 0) times.total_ms.push_back(elapsed.count());
        }
        // Parts of work that several GPUs share are not those of any one of them.
        if (workers_.size() > 1) return times;
        for (const PartTimes& part : workers_[0]->measure(jobs, min_neighbors, repeat)) {
            times.upload_ms.push_back(part.upload);
            times.preprocessing_ms.push_back(part.preprocessing);
            times.scan_ms.push_back(part.scan);
            times.grouping_ms.push_back(part.grouping);
            times.download_ms.push_back(part.download);
            times.resident_ms.push_back(part.resident);
            times.pinned_ms.push_back(part.pinned);
        }
        return times;
    }

    std::vector<PyramidLevel> levels(Size image, const ScanParameters& parameters) const override {
        return kind_.levels(image, parameters);
    }

    std::vector<int> gpus() const override {
        std::vector<int> gpus;
        for (const auto& worker : workers_) gpus.push_back(worker->gpu());
        return gpus;
    }

    EngineCounters counters() const override {
        EngineCounters sum;
        for (const auto& worker : workers_) sum += worker->counters();
        sum.images = images_;
        return sum;
    }

  private:
    std::vector<ScanJob> jobs_of(std::span<const ImageView<const std::uint8_t>> images,
                                 const ScanParameters& parameters) const {
        return make_scan_jobs(images, [&](Size image) { return kind_.levels(image, parameters); });
    }

    // For images in host memory.
    std::vector<CascadeResult> share(const std::vector<ScanJob>& jobs, int min_neighbors,
                                     const GroupLandmarks* landmarks) {
        if (workers_.size() == 1) return workers_[0]->run(jobs, min_neighbors, landmarks);
        if (jobs.size() == 1 && window_count(jobs[0]) >= kind_.min_windows_shared)
            return {share_levels(jobs[0], min_neighbors)};
        std::vector<CascadeResult> findings(jobs.size());
        share_work(
            jobs.size(), workers_.size(), [&](std::size_t i) { return window_count(jobs[i]); },
            [&](std::size_t w, IndexRange part) {
                auto found = workers_[w]->run(std::span(jobs).subspan(part.first, part.count), min_neighbors,
                                              landmarks);
                std::move(found.begin(), found.end(),
                          findings.begin() + static_cast<std::ptrdiff_t>(part.first));
            });
        return findings;
    }

    // The levels of one image; the first GPU groups what all have found.
    CascadeResult share_levels(const ScanJob& job, int min_neighbors) {
        const std::vector<ScanJob> shares = divide_levels(job, workers_.size());
        std::vector<std::vector<CascadeWindow>> found(workers_.size());
        side_by_side(workers_.size(), [&](std::size_t w) {
            found[w] = workers_[w]->run({&shares[w], 1}, 0).at(0).windows;
        });
        CascadeResult findings;
        for (const auto& part : found)
            findings.windows.insert(findings.windows.end(), part.begin(), part.end());
        std::sort(findings.windows.begin(), findings.windows.end(), comes_before);
        if (min_neighbors == 0) return findings;
        std::vector<Rect> rects;
        rects.reserve(findings.windows.size());
        for (const CascadeWindow& window : findings.windows) {
            const PyramidLevel& level = job.levels[window.level];
            rects.push_back(window_rect(window.x, window.y, level.scale, level.box));
        }
        findings.groups = workers_[0]->group(findings.windows, rects, min_neighbors);
        findings.windows.clear();
        return findings;
    }

    const GpuCascadeKind kind_;
    std::vector<std::unique_ptr<GpuWorker>> workers_;  // at least one
    std::atomic<std::size_t> images_{0};
};

}  // namespace

std::unique_ptr<CascadeEngine> make_gpu_engine(const GpuCascadeKind& kind, std::span<const int> gpus,
                                               const EngineOptions& options) {
    if (gpus.empty()) throw std::invalid_argument("a CUDA engine needs at least one GPU");
    return std::make_unique<GpuEngine>(kind, gpus, options);
}

}  // namespace fovea::cuda_backend
