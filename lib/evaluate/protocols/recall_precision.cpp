#include "lib/evaluate/protocols/recall_precision.hpp"

#include "lib/evaluate/detection/step_merge.hpp"
#include "lib/evaluate/statistics/rates.hpp"

namespace fovea {
namespace {

/// A threshold: objects found, and detections that count.
struct KeptDetections {
    double found = 0;
    double detections = 0;
};

/// The rate at which recall equals precision between a threshold with fewer detections than objects, whose
/// precision is the larger, and one with more.
double crossing(const KeptDetections& fewer, const KeptDetections& more, double objects) {
    const double first_recall = fewer.found / objects;
    const double second_recall = more.found / objects;
    const double before = fewer.found / fewer.detections - first_recall;
    const double behind = second_recall - more.found / more.detections;
    if (before + behind <= 0) return first_recall;  // nothing is found
    return first_recall + before / (before + behind) * (second_recall - first_recall);
}

/// Follows the curve up to the point where recall equals precision.
class EqualRates {
  public:
    explicit EqualRates(double objects) : objects_(objects) {}

    void add(const KeptDetections& now) {
        if (is_past_ || now.detections <= 0) return;
        if (now.detections == objects_) {
            recall_ = now.found / objects_;
        } else if (now.detections > objects_ && before_.detections > 0) {
            recall_ = crossing(before_, now, objects_);
        }
        is_past_ = now.detections >= objects_;
        before_ = now;
    }
    double recall() const { return recall_; }

  private:
    double objects_;
    KeptDetections before_;
    bool is_past_ = false;
    double recall_ = undefined;
};

}  // namespace

RecallPrecision::RecallPrecision(const std::vector<ImageTrace>& traces, std::vector<int> objects)
    : objects_(std::move(objects)) {
    visit_by_falling_score(
        traces.size(), [&](std::size_t i) -> const TraceSteps& { return traces[i].steps; },
        [&](std::size_t image, std::size_t place, bool ends_score) {
            const TraceSteps::Step step = traces[image].steps[place];
            steps_.push_back(
                {static_cast<std::uint32_t>(image), step.true_positives, step.false_positives, ends_score});
        });
}

RecallPrecision::Numbers RecallPrecision::numbers(Weights weights) const {
    double objects = 0;
    for (std::size_t i = 0; i < objects_.size(); ++i)
        objects += static_cast<double>(weights[i]) * objects_[i];
    Numbers numbers;
    KeptDetections now;
    KeptDetections best;
    EqualRates equal(objects);
    for (const Step& step : steps_) {
        const double weight = weights[step.image];
        now.found += weight * step.true_positives;
        now.detections += weight * (step.true_positives + step.false_positives);
        if (!step.ends_score) continue;
        const double f = rate_of(2 * now.found, objects + now.detections);
        if (f > numbers.best_f) {
            numbers.best_f = f;
            best = now;
        }
        equal.add(now);
    }
    if (objects <= 0) numbers.best_f = undefined;
    numbers.recall_at_eer = objects > 0 ? equal.recall() : undefined;
    numbers.recall_at_best_f = defined_rate(best.found, objects);
    numbers.precision_at_best_f = defined_rate(best.found, best.detections);
    numbers.recall = defined_rate(now.found, objects);
    numbers.precision = defined_rate(now.found, now.detections);
    return numbers;
}

}  // namespace fovea
