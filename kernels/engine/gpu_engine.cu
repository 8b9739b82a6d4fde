#include <algorithm>
#include <chrono>
#include <exception>
#include <future>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "kernels/engine/gpu_engine.hpp"
#include "kernels/engine/gpu_scanner.cuh"

namespace fovea {
namespace {

using cuda_backend::GpuCascadeKind;
using cuda_backend::GpuScanner;
using cuda_backend::PartTimes;
using cuda_backend::ScanJob;

std::int64_t window_count(const PyramidLevel& level) {
    return static_cast<std::int64_t>(level.windows_per_row()) * level.window_rows();
}

std::int64_t window_count(const ScanJob& job) {
    std::int64_t count = 0;
    for (const PyramidLevel& level : job.levels) count += window_count(level);
    return count;
}

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

class CudaEngine : public CascadeEngine {
  public:
    CudaEngine(GpuCascadeKind kind, std::span<const int> gpus, const EngineVariant& variant)
        : kind_(std::move(kind)), gpus_(gpus.begin(), gpus.end()) {
        if (gpus.empty()) throw std::invalid_argument("a CUDA engine needs at least one GPU");
        for (const int gpu : gpus)
            scanners_.push_back(std::make_unique<GpuScanner>(gpu, variant, kind_.make_cascade));
    }

    std::vector<CascadeFindings> detect(std::span<const ImageView<const std::uint8_t>> images,
                                        const CascadeScan& scan) override {
        const std::lock_guard lock(mutex_);
        return run(jobs_of(images, scan.parameters), std::max(scan.min_neighbors, 0));
    }

    std::vector<CascadeFindings> detect_with_landmarks(std::span<const ImageView<const std::uint8_t>> images,
                                                       const CascadeScan& scan,
                                                       const GroupLandmarks& landmarks) override {
        const std::lock_guard lock(mutex_);
        return run(jobs_of(images, scan.parameters), std::max(scan.min_neighbors, 0), &landmarks);
    }

    std::vector<CascadeFindings> detect_resident(std::span<const ImageView<const std::uint8_t>> images,
                                                 const CascadeScan& scan,
                                                 const GroupLandmarks* landmarks) override {
        if (scanners_.size() != 1) return CascadeEngine::detect_resident(images, scan, landmarks);
        const std::lock_guard lock(mutex_);
        images_ += images.size();
        return scanners_[0]->run(jobs_of(images, scan.parameters), std::max(scan.min_neighbors, 0), landmarks,
                                 ImageMemory::device);
    }

    WindowTrace trace(ImageView<const std::uint8_t> image, const ScanParameters& parameters) override {
        const std::lock_guard lock(mutex_);
        return scanners_[0]->trace(job_of(image, parameters));
    }

    EngineTimes measure(std::span<const ImageView<const std::uint8_t>> images, const CascadeScan& scan,
                        int repeat) override {
        const std::lock_guard lock(mutex_);
        const std::vector<ScanJob> jobs = jobs_of(images, scan.parameters);
        EngineTimes times;
        for (int i = -3; i < repeat; ++i) {
            const auto start = std::chrono::steady_clock::now();
            run(jobs, std::max(scan.min_neighbors, 0));
            const std::chrono::duration<double, std::milli> elapsed =
                std::chrono::steady_clock::now() - start;
            if (i >= 0) times.total_ms.push_back(elapsed.count());
        }
        // Parts of work that several GPUs share are not those of any one of them.
        if (scanners_.size() > 1) return times;
        for (const PartTimes& part : scanners_[0]->measure(jobs, std::max(scan.min_neighbors, 0), repeat)) {
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

    std::string device_name() const override {
        std::string name = "cuda:";
        for (std::size_t i = 0; i < gpus_.size(); ++i) name += (i > 0 ? "," : "") + std::to_string(gpus_[i]);
        return name;
    }

    std::vector<int> gpus() const override { return gpus_; }

    EngineCounters counters() const override {
        const std::lock_guard lock(mutex_);
        EngineCounters sum;
        for (const auto& scanner : scanners_) sum += scanner->counters();
        sum.images = images_;
        return sum;
    }

  private:
    ScanJob job_of(ImageView<const std::uint8_t> image, const ScanParameters& parameters) const {
        ScanJob job;
        job.image = image;
        job.levels = levels({image.width, image.height}, parameters);
        for (std::size_t i = 0; i < job.levels.size(); ++i) job.level_numbers.push_back(static_cast<int>(i));
        return job;
    }

    std::vector<ScanJob> jobs_of(std::span<const ImageView<const std::uint8_t>> images,
                                 const ScanParameters& parameters) const {
        std::vector<ScanJob> jobs;
        jobs.reserve(images.size());
        for (const auto& image : images) {
            // Batches are often of one size.
            if (!jobs.empty() && jobs.back().image.width == image.width &&
                jobs.back().image.height == image.height) {
                jobs.push_back(jobs.back());
                jobs.back().image = image;
            } else {
                jobs.push_back(job_of(image, parameters));
            }
        }
        return jobs;
    }

    std::vector<CascadeFindings> run(const std::vector<ScanJob>& jobs, int min_neighbors,
                                     const GroupLandmarks* landmarks = nullptr) {
        images_ += jobs.size();
        if (scanners_.size() == 1) return scanners_[0]->run(jobs, min_neighbors, landmarks);
        if (jobs.size() == 1 && window_count(jobs[0]) >= kind_.min_windows_shared) {
            std::vector<CascadeFindings> findings;
            findings.push_back(run_shared(jobs[0], min_neighbors));
            return findings;
        }
        return run_divided(jobs, min_neighbors, landmarks);
    }

    // Images in contiguous parts of about the same number of windows.
    std::vector<CascadeFindings> run_divided(const std::vector<ScanJob>& jobs, int min_neighbors,
                                             const GroupLandmarks* landmarks) {
        std::int64_t total = 0;
        for (const ScanJob& job : jobs) total += window_count(job);
        std::vector<std::size_t> ends(scanners_.size(), jobs.size());
        std::int64_t before = 0;
        std::size_t gpu = 0;
        for (std::size_t i = 0; i < jobs.size() && gpu + 1 < scanners_.size(); ++i) {
            before += window_count(jobs[i]);
            while (gpu + 1 < scanners_.size() && before * static_cast<std::int64_t>(scanners_.size()) >=
                                                     total * static_cast<std::int64_t>(gpu + 1)) {
                ends[gpu++] = i + 1;
            }
        }
        std::vector<CascadeFindings> findings(jobs.size());
        side_by_side(scanners_.size(), [&](std::size_t g) {
            const std::size_t first = g == 0 ? 0 : ends[g - 1];
            if (first == ends[g]) return;
            auto found =
                scanners_[g]->run(std::span(jobs).subspan(first, ends[g] - first), min_neighbors, landmarks);
            std::move(found.begin(), found.end(), findings.begin() + static_cast<std::ptrdiff_t>(first));
        });
        return findings;
    }

    // One image: each level goes to the GPU that has the fewest windows so far (Tek 2012, several GPUs); the
    // first GPU groups what all have found.
    CascadeFindings run_shared(const ScanJob& job, int min_neighbors) {
        std::vector<ScanJob> shares(scanners_.size());
        std::vector<std::int64_t> windows(scanners_.size(), 0);
        for (ScanJob& share : shares) share.image = job.image;
        for (std::size_t i = 0; i < job.levels.size(); ++i) {
            const std::size_t gpu = std::min_element(windows.begin(), windows.end()) - windows.begin();
            shares[gpu].levels.push_back(job.levels[i]);
            shares[gpu].level_numbers.push_back(job.level_numbers[i]);
            windows[gpu] += window_count(job.levels[i]);
        }
        std::vector<std::vector<CascadeWindow>> found(scanners_.size());
        side_by_side(scanners_.size(), [&](std::size_t g) {
            found[g] = scanners_[g]->run({&shares[g], 1}, 0).at(0).windows;
        });
        CascadeFindings findings;
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
        findings.groups = scanners_[0]->group(findings.windows, rects, min_neighbors);
        findings.windows.clear();
        return findings;
    }

    GpuCascadeKind kind_;
    std::vector<int> gpus_;
    std::vector<std::unique_ptr<GpuScanner>> scanners_;
    mutable std::mutex mutex_;
    std::size_t images_ = 0;
};

}  // namespace

std::unique_ptr<CascadeEngine> cuda_backend::make_gpu_engine(GpuCascadeKind kind, std::span<const int> gpus,
                                                             const EngineVariant& variant) {
    return std::make_unique<CudaEngine>(std::move(kind), gpus, variant);
}

}  // namespace fovea
