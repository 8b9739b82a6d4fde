#include "lib/evaluate/merged_steps.hpp"

#include <algorithm>
#include <tuple>

namespace fovea {

MergedSteps::MergedSteps(const std::vector<OptimalTrace>& images) {
    struct Place {
        double score = 0;
        std::uint32_t image = 0;
        std::uint32_t step = 0;
    };
    std::vector<Place> places;
    for (std::size_t i = 0; i < images.size(); ++i) {
        const std::vector<ImageTrace::Step>& steps = images[i].trace.steps;
        for (std::size_t k = 0; k < steps.size(); ++k) {
            places.push_back({steps[k].score, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(k)});
        }
    }
    std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
        return std::tie(b.score, a.image, a.step) < std::tie(a.score, b.image, b.step);
    });
    steps_.reserve(places.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
        const OptimalTrace& image = images[places[i].image];
        const ImageTrace::Step& step = image.trace.steps[places[i].step];
        const bool ends_score = i + 1 == places.size() || places[i + 1].score != places[i].score;
        steps_.push_back({image.values[places[i].step], places[i].image,
                          static_cast<std::int16_t>(step.true_positives),
                          static_cast<std::int16_t>(step.false_positives), ends_score});
    }
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
        // False positives may become fewer: a detection can be paired with a face that another one missed closely.
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
