#include <algorithm>
#include <chrono>
#include <exception>
#include <future>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "kernels/engine/gpu_engine.cuh"
#include "kernels/engine/gpu_engine.hpp"

namespace fovea::cuda_backend {
namespace {

// Runs work(0), ..., work(count - 1) side by side, waits for all, and throws what the first one threw.
template <class Work>
void side_by_side(std::size_t count, const Work& work) {
    std::vector<std::future<void>> others;
    for (std::size_t i = 1; i < count; ++i)
        others.push_back(std::async(std::launch::async, [&work, i] { work(i); }));
    std::exception_ptr failure;
    const auto run = [&](const auto& part) {
        try {
            part();
        } catch (...) {
            if (!failure) failure = std::current_exception();
        }
    };
    run([&] { work(0); });
    for (std::future<void>& other : others) run([&] { other.get(); });
    if (failure) std::rethrow_exception(failure);
}

/// Several GPUs that share the work: the images of a batch, or the levels of one large image alone (Tek
/// 2012).
class MultiGpuEngine : public CascadeEngine {
  public:
    MultiGpuEngine(const GpuCascadeKind& kind, std::span<const int> gpus, const EngineOptions& options)
        : kind_(kind), gpus_(gpus.begin(), gpus.end()) {
        for (const int gpu : gpus) engines_.push_back(std::make_unique<GpuEngine>(kind, gpu, options));
    }

    std::vector<CascadeResult> detect(const ImageBatch& images, const CascadeScan& scan,
                                      const GroupLandmarks* landmarks) override {
        check_can_read(images);
        const std::lock_guard lock(mutex_);
        images_ += images.size();
        const std::vector<ScanJob> jobs =
            make_scan_jobs(images.views, [&](Size image) { return kind_.levels(image, scan.parameters); });
        const int min_neighbors = std::max(scan.min_neighbors, 0);
        if (jobs.size() == 1 && window_count(jobs[0]) >= kind_.min_windows_shared) {
            return {share_levels(jobs[0], min_neighbors)};
        }
        return share_images(jobs, min_neighbors, landmarks);
    }

    WindowTrace trace(ImageView<const std::uint8_t> image, const ScanParameters& parameters) override {
        return engines_[0]->trace(image, parameters);
    }

    /// Only the total: parts of work that several GPUs share are not those of any one of them.
    EngineTimes measure(std::span<const ImageView<const std::uint8_t>> images, const CascadeScan& scan,
                        int repeat) override {
        EngineTimes times;
        constexpr int warm_up = 3;
        for (int i = -warm_up; i < repeat; ++i) {
            const auto start = std::chrono::steady_clock::now();
            detect(images, scan, nullptr);
            const std::chrono::duration<double, std::milli> elapsed =
                std::chrono::steady_clock::now() - start;
            if (i >= 0) times.total_ms.push_back(elapsed.count());
        }
        return times;
    }

    std::vector<PyramidLevel> levels(Size image, const ScanParameters& parameters) const override {
        return kind_.levels(image, parameters);
    }

    std::string device_name() const override {
        std::string name = "cuda:";
        for (std::size_t i = 0; i < gpus_.size(); ++i) name += (i > 0 ? "," : "") + std::to_string(gpus_[i]);
        return name;
    }

    std::vector<int> gpus() const override { return gpus_; }

    EngineCounters counters() const override {
        const std::lock_guard lock(mutex_);
        EngineCounters sum;
        for (const auto& engine : engines_) sum += engine->counters();
        sum.images = images_;
        return sum;
    }

  private:
    // Images in contiguous ranges of about the same number of windows.
    std::vector<CascadeResult> share_images(const std::vector<ScanJob>& jobs, int min_neighbors,
                                            const GroupLandmarks* landmarks) {
        const std::vector<JobRange> ranges = divide_by_windows(jobs, engines_.size());
        std::vector<CascadeResult> findings(jobs.size());
        side_by_side(engines_.size(), [&](std::size_t g) {
            const auto [first, count] = ranges[g];
            if (count == 0) return;
            auto found = engines_[g]->run(std::span(jobs).subspan(first, count), min_neighbors, landmarks);
            std::move(found.begin(), found.end(), findings.begin() + static_cast<std::ptrdiff_t>(first));
        });
        return findings;
    }

    // The levels of one image; the first GPU groups what all have found.
    CascadeResult share_levels(const ScanJob& job, int min_neighbors) {
        const std::vector<ScanJob> shares = divide_levels(job, engines_.size());
        std::vector<std::vector<CascadeWindow>> found(engines_.size());
        side_by_side(engines_.size(), [&](std::size_t g) {
            found[g] = engines_[g]->run({&shares[g], 1}, 0).at(0).windows;
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
        findings.groups = engines_[0]->group(findings.windows, rects, min_neighbors);
        findings.windows.clear();
        return findings;
    }

    const GpuCascadeKind kind_;
    const std::vector<int> gpus_;
    std::vector<std::unique_ptr<GpuEngine>> engines_;
    mutable std::mutex mutex_;
    std::size_t images_ = 0;
};

}  // namespace

std::unique_ptr<CascadeEngine> make_gpu_engine(const GpuCascadeKind& kind, std::span<const int> gpus,
                                               const EngineOptions& options) {
    if (gpus.empty()) throw std::invalid_argument("a CUDA engine needs at least one GPU");
    if (gpus.size() == 1) return std::make_unique<GpuEngine>(kind, gpus[0], options);
    return std::make_unique<MultiGpuEngine>(kind, gpus, options);
}

}  // namespace fovea::cuda_backend
