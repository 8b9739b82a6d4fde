#include "lib/train/cascade/cascade_rates.hpp"

#include <algorithm>
#include <memory>

#include "kernels/haar_lbp/haar_lbp_engine.hpp"
#include "lib/train/cascade/cascade_trainer.hpp"
#include "lib/train/cascade/rejections.hpp"
#include "lib/train/samples/window_samples.hpp"

namespace fovea {
namespace {

/// A window that reaches the last stage, and its sum there.
struct LastSum {
    double sum = 0;
    bool is_positive = false;
};

std::vector<std::size_t> picked_images(const std::vector<BackgroundImage>& images, std::int64_t max_pixels) {
    std::int64_t pixels = 0;
    for (const BackgroundImage& image : images)
        pixels += std::int64_t{image.image.width} * image.image.height;
    std::size_t wanted = images.size();
    if (pixels > max_pixels) {
        const double share = static_cast<double>(max_pixels) / static_cast<double>(pixels);
        wanted = static_cast<std::size_t>(share * static_cast<double>(images.size()));
    }
    return evenly_picked(images.size(), std::max<std::size_t>(1, wanted));
}

/// Takes the windows on annotated objects out of a trace.
void skip_objects(const BackgroundImage& image, const std::vector<PyramidLevel>& levels, double max_iou,
                  WindowTrace& trace) {
    if (image.objects.empty()) return;
    for (std::size_t l = 0; l < levels.size(); ++l) {
        WindowTrace::Level& level = trace.levels[l];
        for (std::size_t i = 0; i < level.stages_passed.size(); ++i) {
            const int row = static_cast<int>(i) / level.windows_per_row;
            const int column = static_cast<int>(i) % level.windows_per_row;
            const CascadeWindow window{static_cast<int>(l), column * levels[l].step, row * levels[l].step, 0};
            if (is_on_object(image, levels[l], window, max_iou))
                level.stages_passed[i] = WindowTrace::skipped;
        }
    }
}

double share(std::int64_t part, std::int64_t whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

}  // namespace

double CascadeRates::rejection(std::size_t stage) const {
    return share(rejected.at(stage), windows);
}

CascadeRates cascade_rates(const Cascade& cascade, std::span<const std::uint8_t> positives,
                           const std::vector<BackgroundImage>& images, const CascadeRatesOptions& options,
                           const CountProgress& progress) {
    const std::size_t stages = cascade.stages.size();
    const Cascade read = as_read(cascade);
    const std::unique_ptr<CascadeEngine> engine = make_cpu_engine(read);
    ScanParameters parameters;
    parameters.scale_factor = options.scale_factor;
    std::vector<int> trees;
    for (const CascadeStage& stage : cascade.stages) trees.push_back(stage.tree_count);

    CascadeRates rates;
    RejectionTable table;
    std::vector<LastSum> sums;
    const std::vector<std::size_t> picked = picked_images(images, options.max_pixels);
    for (const std::size_t number : picked) {
        const BackgroundImage& image = images[number];
        const std::vector<PyramidLevel> levels =
            cascade_levels({image.image.width, image.image.height}, cascade.window, parameters);
        WindowTrace trace = engine->trace(image.image.view(), parameters);
        skip_objects(image, levels, options.max_object_iou, trace);
        table.add(trees, levels, trace);
        for (const WindowTrace::Level& level : trace.levels) {
            for (std::size_t i = 0; i < level.stages_passed.size(); ++i) {
                // Those that reach the last stage: they passed all others.
                if (level.stages_passed[i] >= static_cast<int>(stages) - 1)
                    sums.push_back({level.last_sums[i], false});
            }
        }
        ++rates.images;
        if (progress) progress(rates.images, picked.size());
    }
    const RejectionLevel total = table.total();
    rates.windows = total.visited;
    rates.flat = total.flat;
    rates.rejected = total.rejected;
    rates.rejected.resize(stages);
    rates.passed = total.passed;

    const std::vector<WindowFate> fates = fates_of_windows(cascade, positives);
    rates.positives = fates.size();
    const auto count = static_cast<std::int64_t>(rates.positives);
    std::int64_t left = rates.windows - rates.flat;
    for (std::size_t s = 0; s < stages; ++s) {
        left -= rates.rejected[s];
        const auto hits = std::count_if(fates.begin(), fates.end(), [&](const WindowFate& fate) {
            return fate.stages_passed > static_cast<int>(s);
        });
        rates.stages.push_back({share(left, rates.windows), share(hits, count)});
    }
    for (const WindowFate& fate : fates) {
        if (fate.stages_passed >= static_cast<int>(stages) - 1) sums.push_back({fate.last_sum, true});
    }
    std::sort(sums.begin(), sums.end(), [](const LastSum& a, const LastSum& b) { return a.sum > b.sum; });
    rates.last_stage.push_back({});
    std::int64_t hits = 0, alarms = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        ++(sums[i].is_positive ? hits : alarms);
        if (i + 1 < sums.size() && sums[i + 1].sum == sums[i].sum) continue;
        rates.last_stage.push_back({share(alarms, rates.windows), share(hits, count)});
    }
    return rates;
}

}  // namespace fovea
