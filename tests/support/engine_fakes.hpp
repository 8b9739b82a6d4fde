#pragma once

#include <functional>
#include <memory>
#include <string>

#include "kernels/core/device.hpp"
#include "kernels/engine/engine.hpp"
#include "kernels/haar_lbp/haar_lbp_engine.hpp"
#include "kernels/mct/mct_engine.hpp"
#include "lib/detect/cascade_detector.hpp"

namespace fovea::test {

/// The CPU's engine under the name of a GPU, with faults on purpose.
class FaultyEngine : public CascadeEngine {
  public:
    struct Faults {
        int failing_call = -1;  ///< the call of detect, from 0, at which the device is lost
        std::function<void(std::vector<CascadeFindings>&)> findings;  ///< spoils what is found
        std::function<void(WindowTrace&)> trace;                      ///< spoils a trace
    };

    FaultyEngine(const Cascade& cascade, Faults faults)
        : engine_(make_cpu_engine(cascade)), faults_(std::move(faults)) {}

    std::vector<CascadeFindings> detect(std::span<const ImageView<const std::uint8_t>> images,
                                        const CascadeScan& scan) override {
        if (calls_++ == faults_.failing_call) throw DeviceError("cuda:7: the device fell off the bus");
        auto findings = engine_->detect(images, scan);
        if (faults_.findings) faults_.findings(findings);
        return findings;
    }
    WindowTrace trace(ImageView<const std::uint8_t> image, const ScanParameters& parameters) override {
        WindowTrace trace = engine_->trace(image, parameters);
        if (faults_.trace) faults_.trace(trace);
        return trace;
    }
    EngineTimes measure(std::span<const ImageView<const std::uint8_t>> images, const CascadeScan& scan,
                        int repeat) override {
        return engine_->measure(images, scan, repeat);
    }
    std::vector<PyramidLevel> levels(Size image, const ScanParameters& parameters) const override {
        return engine_->levels(image, parameters);
    }
    std::string device_name() const override { return "cuda:7"; }
    EngineCounters counters() const override {
        EngineCounters counters = engine_->counters();
        counters.graph_replays = 5;
        counters.repeats = 2;
        counters.host_groupings = 3;
        counters.shrinks = 1;
        return counters;
    }

    static std::unique_ptr<CascadeDetector> detector(Cascade cascade, Faults faults) {
        return std::make_unique<CascadeDetector>(
            std::move(cascade), [&](const Cascade& c) { return std::make_unique<FaultyEngine>(c, faults); });
    }

  private:
    std::unique_ptr<CascadeEngine> engine_;
    Faults faults_;
    int calls_ = 0;
};

}  // namespace fovea::test
