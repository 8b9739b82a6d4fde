#include "lib/evaluate/protocols/merged_steps.hpp"

#include <algorithm>

#include <tbb/parallel_for.h>

#include "lib/evaluate/detection/step_merge.hpp"

namespace fovea {

std::vector<OptimalTrace> traces_of(std::size_t images,
                                    const std::function<OptimalTrace(std::size_t)>& trace) {
    std::vector<OptimalTrace> traces(images);
    tbb::parallel_for(std::size_t{0}, images, [&](std::size_t i) { traces[i] = trace(i); });
    return traces;
}

MergedSteps::MergedSteps(const std::vector<OptimalTrace>& images) {
    visit_by_falling_score(
        images.size(), [&](std::size_t i) -> const TraceSteps& { return images[i].trace.steps; },
        [&](std::size_t image, std::size_t place, bool ends_score) {
            const TraceSteps::Step step = images[image].trace.steps[place];
            steps_.push_back({images[image].values[place], static_cast<std::uint32_t>(image),
                              step.true_positives, step.false_positives, ends_score});
        });
}

MergedSteps::Result MergedSteps::totals(Weights weights, std::span<const int> allowed) const {
    Result result;
    result.best.resize(allowed.size());
    Totals now;
    std::int64_t false_positives = 0;
    bool has_changed = false;
    std::size_t place = 0;  // of the smallest number that allows the false positives so far
    for (const Step& step : steps_) {
        const std::int64_t weight = weights[step.image];
        now.true_positives += weight * step.true_positives;
        now.value += weight * step.value;
        false_positives += weight * step.false_positives;
        has_changed |= weight != 0;
        if (!step.ends_score || !has_changed) continue;
        has_changed = false;
        // False positives may become fewer: a detection can be paired with a face that another one missed
        // closely.
        while (place > 0 && false_positives <= allowed[place - 1]) --place;
        while (place < allowed.size() && false_positives > allowed[place]) ++place;
        if (place == allowed.size()) continue;
        Totals& best = result.best[place];
        best.true_positives = std::max(best.true_positives, now.true_positives);
        best.value = std::max(best.value, now.value);
    }
    for (std::size_t i = 1; i < allowed.size(); ++i) {
        Totals& best = result.best[i];
        best.true_positives = std::max(best.true_positives, result.best[i - 1].true_positives);
        best.value = std::max(best.value, result.best[i - 1].value);
    }
    result.last = now;
    result.last_false_positives = false_positives;
    return result;
}

}  // namespace fovea
