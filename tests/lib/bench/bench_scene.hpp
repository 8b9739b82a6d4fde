#pragma once

#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lib/bench/benchmark.hpp"
#include "lib/core/error.hpp"
#include "lib/detect/cascade_detector.hpp"
#include "lib/detect/cascade_xml.hpp"
#include "tests/support/edge_scene.hpp"

namespace fovea::test {

// An engine that finds what the CPU finds, or without the last box, and "takes" a known time: `total_ms` for
// each image of a call.
class KnownEngine : public CascadeEngine {
  public:
    KnownEngine(const Cascade& cascade, double total_ms)
        : engine_(make_cpu_engine(cascade)), total_ms_(total_ms) {}

    std::vector<CascadeResult> detect(const ImageBatch& images, const CascadeScan& scan,
                                      const GroupLandmarks* landmarks) override {
        auto findings = engine_->detect(images, scan, landmarks);
        if (drops_last_of_batches && images.size() > 1) findings.back().groups.pop_back();
        return findings;
    }
    WindowTrace trace(ImageView<const std::uint8_t> image, const ScanParameters& parameters) override {
        return engine_->trace(image, parameters);
    }
    EngineTimes measure(std::span<const ImageView<const std::uint8_t>> images, const CascadeScan&,
                        int repeat) override {
        if (repetitions >= lost_after) throw DeviceError("cuda:0 was lost");
        const double ms = total_ms_ * static_cast<double>(images.size());
        EngineTimes times;
        times.total_ms.assign(static_cast<std::size_t>(repeat), ms);
        times.resident_ms.assign(static_cast<std::size_t>(repeat), ms / 2);
        times.pinned_ms.assign(static_cast<std::size_t>(repeat), ms / 5 * 4);
        // For single images alone.
        if (images.size() == 1) times.upload_ms.assign(static_cast<std::size_t>(repeat), ms / 4);
        ++calls;
        repetitions += repeat;
        return times;
    }
    std::vector<PyramidLevel> levels(Size image, const ScanParameters& parameters) const override {
        return engine_->levels(image, parameters);
    }
    std::vector<int> gpus() const override { return {0}; }
    EngineCounters counters() const override { return {}; }

    bool drops_last_of_batches = false;
    int lost_after = std::numeric_limits<int>::max();
    int calls = 0;
    int repetitions = 0;

  private:
    std::unique_ptr<CascadeEngine> engine_;
    double total_ms_;
};

struct BenchScene {
    BenchScene() : model(folder.write("edge.xml", edge_cascade())), detector(read_cascade(model)) {
        options.min_neighbors = 1;
        photographs.push_back({"a", image_of(40, 30)});
        photographs.push_back({"b", image_of(60, 44)});
    }

    static GreyImage image_of(int width, int height) {
        GreyImage image{width, height, {}};
        for (int i = 0; i < width * height; ++i) image.pixels.push_back(i % width < width / 2 ? 200 : 40);
        return image;
    }

    BenchmarkSubject subject() const { return {detector, model, options, {}}; }
    std::vector<BenchmarkBackend> host(bool with_opencv) const {
        return make_benchmark_backends(detector, {"cpu", 1, false, with_opencv});
    }
    static KnownEngine& engine_of(const BenchmarkBackend& gpu) {
        return dynamic_cast<KnownEngine&>(gpu.detector->as_cascade()->engine());
    }
    // A stand-in for a GPU: 4 ms per image.
    BenchmarkBackend gpu() const {
        BenchmarkBackend backend;
        backend.info = {BackendInfo::Kind::cuda, 1, 1};
        backend.detector = std::make_shared<CascadeDetector>(detector.cascade(), [](const Cascade& cascade) {
            return std::make_unique<KnownEngine>(cascade, 4);
        });
        return backend;
    }

    TempDir folder;
    std::filesystem::path model;
    CascadeDetector detector;
    DetectorOptions options;
    std::vector<Photograph> photographs;
};

}  // namespace fovea::test
