#include "kernels/cascade/engine.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <stdexcept>

#include <tbb/parallel_for.h>

#include "kernels/device.hpp"
#include "kernels/mct/pyramid.hpp"
#include "kernels/mct/scan_mct.hpp"

namespace fovea {
namespace {

struct Optimisation {
    const char* name;
    bool EngineVariant::*member;
};

constexpr std::array optimisations{
    Optimisation{"compaction", &EngineVariant::compaction},
    Optimisation{"bank-queues", &EngineVariant::bank_queues},
    Optimisation{"warp-windows", &EngineVariant::warp_windows},
    Optimisation{"merged-corners", &EngineVariant::merged_corners},
    Optimisation{"staged-stumps", &EngineVariant::staged_stumps},
    Optimisation{"window-sets", &EngineVariant::window_sets},
    Optimisation{"shared-integral", &EngineVariant::shared_integral},
    Optimisation{"graphs", &EngineVariant::graphs},
    Optimisation{"pinned", &EngineVariant::pinned},
    Optimisation{"streams", &EngineVariant::streams},
};

// What every kind of cascade has in common on the CPU.
class CpuEngine : public CascadeEngine {
  public:
    std::vector<CascadeFindings> detect(std::span<const ImageView<const std::uint8_t>> images,
                                        const CascadeScan& scan) override {
        std::vector<CascadeFindings> findings(images.size());
        tbb::parallel_for(std::size_t{0}, images.size(), [&](std::size_t i) {
            const std::vector<PyramidLevel> pyramid = levels_of(images[i], scan.parameters);
            findings[i].windows = find_windows(images[i], pyramid);
            if (scan.min_neighbors > 0) {
                findings[i].groups = group(findings[i].windows, pyramid, scan.min_neighbors);
                findings[i].windows.clear();
            }
        });
        const std::lock_guard lock(mutex_);
        counters_.images += images.size();
        return findings;
    }

    EngineTimes measure(std::span<const ImageView<const std::uint8_t>> images, const CascadeScan& scan,
                        int repeat) override;

    std::string device_name() const override { return "cpu"; }
    EngineCounters counters() const override {
        const std::lock_guard lock(mutex_);
        return counters_;
    }

  protected:
    virtual std::vector<CascadeWindow> find_windows(ImageView<const std::uint8_t> image,
                                                    std::span<const PyramidLevel> levels) const = 0;
    // What comes before the cascade, and nothing else; its results are dropped.
    virtual void preprocess(ImageView<const std::uint8_t> image,
                            std::span<const PyramidLevel> levels) const = 0;
    virtual GroupScore group_score() const = 0;

    std::vector<PyramidLevel> levels_of(ImageView<const std::uint8_t> image,
                                        const ScanParameters& parameters) const {
        return levels({image.width, image.height}, parameters);
    }

  private:
    std::vector<RectGroup> group(const std::vector<CascadeWindow>& windows,
                                 const std::vector<PyramidLevel>& levels, int min_neighbors) const {
        std::vector<ScoredRect> rects;
        rects.reserve(windows.size());
        for (const CascadeWindow& window : windows) {
            const PyramidLevel& level = levels[window.level];
            rects.push_back({window_rect(window.x, window.y, level.scale, level.box), window.last_sum});
        }
        return group_rects(rects, min_neighbors, default_group_eps, group_score());
    }

    mutable std::mutex mutex_;
    EngineCounters counters_;
};

class OpenCvCpuEngine : public CpuEngine {
  public:
    explicit OpenCvCpuEngine(const Cascade& cascade) : cascade_(cascade) {}

    WindowTrace trace(ImageView<const std::uint8_t> image, const ScanParameters& parameters) override {
        return trace_cascade(cascade_, image, levels_of(image, parameters));
    }
    std::vector<PyramidLevel> levels(Size image, const ScanParameters& parameters) const override {
        return cascade_levels(image, cascade_.window, parameters);
    }

  private:
    std::vector<CascadeWindow> find_windows(ImageView<const std::uint8_t> image,
                                            std::span<const PyramidLevel> levels) const override {
        return scan_cascade(cascade_, image, levels);
    }
    void preprocess(ImageView<const std::uint8_t> image,
                    std::span<const PyramidLevel> levels) const override {
        integrate_levels(cascade_, image, levels);
    }
    GroupScore group_score() const override { return GroupScore::maximum; }

    const Cascade& cascade_;
};

class MctCpuEngine : public CpuEngine {
  public:
    explicit MctCpuEngine(const MctCascade& cascade) : cascade_(cascade) {}

    WindowTrace trace(ImageView<const std::uint8_t> image, const ScanParameters& parameters) override {
        return trace_mct(cascade_, image, levels_of(image, parameters));
    }
    std::vector<PyramidLevel> levels(Size image, const ScanParameters& parameters) const override {
        return mct_levels(image, parameters);
    }

  private:
    std::vector<CascadeWindow> find_windows(ImageView<const std::uint8_t> image,
                                            std::span<const PyramidLevel> levels) const override {
        return scan_mct(cascade_, image, levels);
    }
    void preprocess(ImageView<const std::uint8_t> image,
                    std::span<const PyramidLevel> levels) const override {
        transform_levels(cascade_, image, levels);
    }
    GroupScore group_score() const override { return GroupScore::sum; }

    const MctCascade& cascade_;
};

template <class Work>
double time_ms(const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// What the times mean on the CPU, each for the whole batch on the threads of the caller's arena:
// - total: detect(), from grey pixels to grouped boxes;
// - preprocessing: all levels resized and integrated, or census-transformed, done alone right after it;
// - grouping: of the windows found, done alone right after that;
// - scan: what is left of the same repetition's total: standard deviations, the cascade, and what there is
//   besides (levels, packing the cascade, collecting windows). Not below 0, whatever the clock says;
// - upload and download are empty and resident is the total, as what is in host memory is where it is worked
//   on.
EngineTimes CpuEngine::measure(std::span<const ImageView<const std::uint8_t>> images, const CascadeScan& scan,
                               int repeat) {
    std::vector<std::vector<PyramidLevel>> pyramids;
    for (const auto& image : images) pyramids.push_back(levels_of(image, scan.parameters));
    CascadeScan ungrouped = scan;
    ungrouped.min_neighbors = 0;
    // Also the warm-up.
    const std::vector<CascadeFindings> found = detect(images, ungrouped);

    const auto preprocess_all = [&] {
        tbb::parallel_for(std::size_t{0}, images.size(),
                          [&](std::size_t i) { preprocess(images[i], pyramids[i]); });
    };
    const auto group_all = [&] {
        tbb::parallel_for(std::size_t{0}, images.size(),
                          [&](std::size_t i) { group(found[i].windows, pyramids[i], scan.min_neighbors); });
    };
    preprocess_all();
    EngineTimes times;
    for (int i = 0; i < repeat; ++i) {
        times.total_ms.push_back(time_ms([&] { detect(images, scan); }));
        times.preprocessing_ms.push_back(time_ms(preprocess_all));
        double grouping_ms = 0;
        if (scan.min_neighbors > 0) {
            grouping_ms = time_ms(group_all);
            times.grouping_ms.push_back(grouping_ms);
        }
        times.scan_ms.push_back(
            std::max(0.0, times.total_ms.back() - times.preprocessing_ms.back() - grouping_ms));
    }
    times.resident_ms = times.total_ms;
    return times;
}

}  // namespace

std::vector<std::string> engine_optimisations() {
    std::vector<std::string> names;
    for (const Optimisation& optimisation : optimisations) names.emplace_back(optimisation.name);
    return names;
}

EngineVariant without_optimisation(EngineVariant variant, const std::string& name) {
    for (const Optimisation& optimisation : optimisations) {
        if (name != optimisation.name) continue;
        variant.*optimisation.member = false;
        return variant;
    }
    throw std::invalid_argument("there is no optimisation '" + name + "'");
}

std::unique_ptr<CascadeEngine> make_cpu_engine(const Cascade& cascade) {
    return std::make_unique<OpenCvCpuEngine>(cascade);
}

std::unique_ptr<CascadeEngine> make_cpu_engine(const MctCascade& cascade) {
    return std::make_unique<MctCpuEngine>(cascade);
}

std::vector<CascadeFindings> CascadeEngine::detect_with_landmarks(
    std::span<const ImageView<const std::uint8_t>> images, const CascadeScan& scan, const GroupLandmarks&) {
    return detect(images, scan);
}

std::vector<CascadeFindings> CascadeEngine::detect_resident(std::span<const ImageView<const std::uint8_t>>,
                                                            const CascadeScan&, const GroupLandmarks*) {
    throw std::logic_error("the engine on " + device_name() +
                           " does not detect in images that lie in a GPU's memory; one on one GPU does");
}

#if !defined(FOVEA_HAVE_CUDA)
namespace {
[[noreturn]] void refuse_cuda() {
    throw DeviceError(
        "cannot detect on a GPU: this program was built without CUDA; build it where nvcc is installed");
}
}  // namespace

std::unique_ptr<CascadeEngine> make_cuda_engine(const Cascade&, std::span<const int>, const EngineVariant&) {
    refuse_cuda();
}
std::unique_ptr<CascadeEngine> make_cuda_engine(const MctCascade&, std::span<const int>,
                                                const EngineVariant&) {
    refuse_cuda();
}
#endif

}  // namespace fovea
