#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kernels/core/device.hpp"
#include "kernels/engine/engine.hpp"
#include "kernels/haar_lbp/haar_lbp_engine.hpp"
#include "kernels/mct/mct_engine.hpp"
#include "lib/core/error.hpp"
#include "lib/detect/cascade_detector.hpp"
#include "tests/support/threads.hpp"

namespace fovea::test {

/// How an engine for tests fails.
struct EngineFaults {
    int failing_call = -1;  ///< the call of detect, from 0, at which the device is lost
    std::function<void(std::vector<CascadeResult>&)> findings{};  ///< spoils what is found
    std::function<void(WindowTrace&)> trace{};                    ///< spoils a trace
    int refused_width = -1;                                       ///< images of this width are too wide
    int large_width = -1;  ///< and there is no memory for those of this width
};

/// \throws what an engine with such faults throws of these images.
inline void refuse_images(const EngineFaults& faults, const ImageBatch& images) {
    for (const auto& image : images.views) {
        if (image.width == faults.refused_width) throw std::length_error("too wide");
        if (image.width == faults.large_width) throw std::bad_alloc();
    }
}

/// The CPU's engine under the name of a GPU, with faults on purpose.
class FaultyEngine : public CascadeEngine {
  public:
    using Faults = EngineFaults;

    /// \param cascade of any kind. \param faults may be changed while the engine is used.
    template <class AnyCascade>
    FaultyEngine(const AnyCascade& cascade, std::shared_ptr<const Faults> faults)
        : engine_(make_cpu_engine(cascade)), faults_(std::move(faults)) {}

    std::vector<CascadeResult> detect(const ImageBatch& images, const CascadeScan& scan,
                                      const GroupLandmarks* landmarks) override {
        if (calls_++ == faults_->failing_call) throw DeviceError("cuda:7: the device fell off the bus");
        refuse_images(*faults_, images);
        auto findings = engine_->detect(images, scan, landmarks);
        if (faults_->findings) faults_->findings(findings);
        return findings;
    }
    WindowTrace trace(ImageView<const std::uint8_t> image, const ScanParameters& parameters) override {
        WindowTrace trace = engine_->trace(image, parameters);
        if (faults_->trace) faults_->trace(trace);
        return trace;
    }
    EngineTimes measure(std::span<const ImageView<const std::uint8_t>> images, const CascadeScan& scan,
                        int repeat) override {
        return engine_->measure(images, scan, repeat);
    }
    std::vector<PyramidLevel> levels(Size image, const ScanParameters& parameters) const override {
        return engine_->levels(image, parameters);
    }
    std::vector<int> gpus() const override { return {7}; }
    EngineCounters counters() const override {
        EngineCounters counters = engine_->counters();
        counters.graph_replays = 5;
        counters.repeats = 2;
        counters.host_groupings = 3;
        counters.shrinks = 1;
        return counters;
    }

    static std::unique_ptr<CascadeDetector> detector(Cascade cascade, Faults faults) {
        return detector_with(std::move(cascade), std::make_shared<const Faults>(std::move(faults)));
    }
    /// The faults may be changed later.
    static std::unique_ptr<CascadeDetector> detector_with(Cascade cascade,
                                                          std::shared_ptr<const Faults> faults) {
        return std::make_unique<CascadeDetector>(
            std::move(cascade), [&](const Cascade& c) { return std::make_unique<FaultyEngine>(c, faults); });
    }

  private:
    std::unique_ptr<CascadeEngine> engine_;
    std::shared_ptr<const Faults> faults_;
    std::atomic<int> calls_ = 0;
};

/// A detector that finds one box in each image: as large as the image, its score the first pixel and
/// min_neighbors. May be used from several threads.
class FakeDetector : public CascadeDetector {
  public:
    FakeDetector()
        : CascadeDetector({}, [this](const Cascade&) { return std::make_unique<Engine>(*this); }) {}

    EngineFaults faults;
    bool fails = false;                ///< at every call
    std::vector<std::size_t> batches;  ///< sizes of those that came
    std::size_t max_threads = 0;       ///< of the process, while it detected

  private:
    std::mutex mutex_;  // of what is counted

    class Engine : public CascadeEngine {
      public:
        explicit Engine(FakeDetector& detector) : detector_(detector) {}

        std::vector<CascadeResult> detect(const ImageBatch& images, const CascadeScan& scan,
                                          const GroupLandmarks*) override {
            {
                const std::lock_guard lock(detector_.mutex_);
                detector_.batches.push_back(images.size());
                detector_.max_threads = std::max(detector_.max_threads, count_threads());
            }
            if (detector_.fails) throw Error("the detector failed");
            refuse_images(detector_.faults, images);
            std::vector<CascadeResult> found;
            for (const auto& image : images.views) {
                RectGroup& group = found.emplace_back().groups.emplace_back();
                group.rect = {0, 0, image.width, image.height};
                group.neighbors = image(0, 0) + scan.min_neighbors;
            }
            return found;
        }
        WindowTrace trace(ImageView<const std::uint8_t>, const ScanParameters&) override { return {}; }
        EngineTimes measure(std::span<const ImageView<const std::uint8_t>>, const CascadeScan&,
                            int) override {
            return {};
        }
        std::vector<PyramidLevel> levels(Size, const ScanParameters&) const override { return {}; }
        EngineCounters counters() const override { return {}; }

      private:
        FakeDetector& detector_;
    };
};

}  // namespace fovea::test
