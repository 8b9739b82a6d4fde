#include "tests/lab/engine_study.hpp"

#include <algorithm>

#include <spdlog/fmt/fmt.h>

#include "lib/bench/benchmark.hpp"
#include "lib/core/error.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/core/nearest_name.hpp"
#include "lib/core/text.hpp"
#include "lib/core/time_summary.hpp"
#include "tests/lab/optimisations.hpp"

namespace fovea {
namespace {

/// The photographs at one size.
struct Scene {
    Scene(const std::vector<Photograph>& photographs, Size size) {
        for (const Photograph& photograph : photographs) pixels.push_back(resized(photograph.image, size));
        for (const GreyImage& image : pixels) views.push_back(image.view());
    }

    /// One by one, or over and over, as many as a batch holds.
    std::vector<ImageViews> groups(int batch) const {
        std::vector<ImageViews> all;
        if (batch == 1) {
            for (const auto& view : views) all.push_back({view});
            return all;
        }
        all.emplace_back();
        for (int i = 0; i < batch; ++i) all[0].push_back(views[static_cast<std::size_t>(i) % views.size()]);
        return all;
    }

    std::vector<GreyImage> pixels;
    ImageViews views;
};

/// The number of images in which an engine finds something else.
std::size_t differing_images(CascadeEngine& engine, const std::vector<ImageViews>& groups,
                             const CascadeScan& scan, const std::vector<CascadeResult>& expected) {
    std::size_t image = 0, differing = 0;
    for (const ImageViews& group : groups) {
        const std::vector<CascadeResult> found = engine.detect(group, scan, nullptr);
        for (std::size_t i = 0; i < group.size(); ++i, ++image) {
            if (i >= found.size() || found[i] != expected[image % expected.size()]) ++differing;
        }
    }
    return differing;
}

void add(EngineTimes& times, const EngineTimes& more) {
    for (const BenchmarkPart& part : benchmark_parts()) {
        std::vector<double>& all = times.*part.times;
        const std::vector<double>& piece = more.*part.times;
        all.insert(all.end(), piece.begin(), piece.end());
    }
}

}  // namespace

std::vector<std::string> resolve_optimisations(const std::vector<std::string>& names) {
    const std::vector<std::string> known = engine_optimisations();
    std::vector<std::string> resolved;
    const auto add_once = [&](const std::string& name) {
        if (std::find(resolved.begin(), resolved.end(), name) == resolved.end()) resolved.push_back(name);
    };
    for (const std::string& name : names) {
        if (name == "all") {
            for (const std::string& each : known) add_once(each);
        } else if (std::find(known.begin(), known.end(), name) != known.end()) {
            add_once(name);
        } else {
            throw UsageError(fmt::format("there is no optimisation '{}'{}: there are {} and all", name,
                                         did_you_mean(name, known), fmt::join(known, ", ")));
        }
    }
    return resolved;
}

PairedTimes measure_in_turns(CascadeEngine& first, CascadeEngine& second, std::span<const ImageViews> groups,
                             const CascadeScan& scan, int repetitions,
                             const std::function<bool()>& cancelled) {
    PairedTimes times;
    // At least four pieces, so that both are really in turns.
    const int max_in_piece = std::max(1, repetitions / 4);
    bool swapped = false;
    for (int left = repetitions; left > 0 && (left == repetitions || !cancelled());) {
        const int now = std::min(left, max_in_piece);
        const auto measure = [&](CascadeEngine& engine) {
            // A piece is measured to its end, so that both have equally many repetitions.
            return measure_groups(engine, groups, scan, {now, now, 0}, [] { return false; });
        };
        if (swapped) add(times.second, measure(second));
        add(times.first, measure(first));
        if (!swapped) add(times.second, measure(second));
        swapped = !swapped;
        left -= now;
    }
    return times;
}

double OptimisationGain::factor(std::vector<double> EngineTimes::*part) const {
    const double with_ms = median_time(with.*part), without_ms = median_time(without.*part);
    return with_ms > 0 && without_ms > 0 ? without_ms / with_ms : 0;
}

EngineStudy study_optimisations(CascadeEngine& cpu, const MakeEngine& make, const CascadeScan& scan,
                                const std::vector<Photograph>& photographs, const EngineStudyRequest& request,
                                const JobHooks& hooks) {
    EngineStudy study;
    const auto cancelled = [&] { return study.interrupted = hooks.is_cancelled(); };
    const std::shared_ptr<CascadeEngine> full = make({});
    for (const Size size : request.sizes) {
        const Scene scene(photographs, size);
        const std::vector<CascadeResult> expected = cpu.detect(scene.views, scan, nullptr);
        for (const std::string& name : request.optimisations) {
            const std::shared_ptr<CascadeEngine> reduced = make(without_optimisation({}, name));
            std::vector<int> batches{1};
            if (request.batch > 1) batches.push_back(request.batch);
            for (const int batch : batches) {
                if (cancelled()) return study;
                hooks.begin_stage(
                    fmt::format("measuring {}, without {}, batch of {}", size_name(size), name, batch));
                const std::vector<ImageViews> groups = scene.groups(batch);
                const std::size_t differing = differing_images(*reduced, groups, scan, expected);
                if (differing > 0) {
                    study.differences.push_back(fmt::format(
                        "the boxes without {}, batch of {}, differ from those of the CPU in {} ({})", name,
                        batch, counted(differing, "image"), size_name(size)));
                }
                PairedTimes times =
                    measure_in_turns(*full, *reduced, groups, scan, request.repetitions, cancelled);
                study.gains.push_back({name, size, batch, std::move(times.first), std::move(times.second)});
            }
        }
    }
    return study;
}

std::vector<SizeRejections> count_rejections(const EngineDetector& detector, const CascadeScan& scan,
                                             const std::vector<Photograph>& photographs,
                                             const std::vector<Size>& sizes, const JobHooks& hooks) {
    std::vector<SizeRejections> all;
    for (const Size size : sizes) {
        hooks.begin_stage("counting rejections, " + size_name(size));
        SizeRejections rejections{size, {}};
        const Scene scene(photographs, size);
        for (const auto& view : scene.views) {
            // The numbers of some photographs only are not those asked for.
            if (hooks.is_cancelled()) return all;
            rejections.table.add(detector.weak_classifiers_by_stage(),
                                 detector.engine().levels({view.width, view.height}, scan.parameters),
                                 detector.engine().trace(view, scan.parameters));
        }
        all.push_back(std::move(rejections));
    }
    return all;
}

}  // namespace fovea
