#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <tbb/parallel_for.h>

#include "lib/core/box_index.hpp"
#include "lib/core/overlap.hpp"
#include "lib/evaluate/detection/optimal_trace.hpp"
#include "lib/evaluate/protocols/protocol.hpp"
#include "lib/evaluate/protocols/recall_precision.hpp"
#include "lib/evaluate/protocols/uiuc_rule.hpp"

namespace fovea {
namespace {

constexpr double uiuc_hit = 1;
constexpr double uiuc_distance_units = 1048576;

/// The cars of an image, found by the places of detections.
class UiucCars {
  public:
    UiucCars(const std::vector<Face>& cars, const UiucRule& rule)
        : cars_(cars), rule_(rule), index_(reaches(cars, rule)) {}

    /// Calls visit(car, distance) for every car that the detection hits, in their order.
    template <class Visit>
    void visit_hits(const Box& found, const Visit& visit) const {
        const Point place = rule_.place(found);
        index_.visit_touching({place.x, place.y, 0, 0}, [&](std::size_t car) {
            const double distance = rule_.distance(cars_[car].box, found);
            if (distance <= uiuc_hit) visit(car, distance);
        });
    }

  private:
    static BoxIndex reaches(const std::vector<Face>& cars, const UiucRule& rule) {
        std::vector<Box> boxes;
        boxes.reserve(cars.size());
        for (const Face& car : cars) boxes.push_back(rule.reach(car.box));
        return BoxIndex(boxes);
    }

    const std::vector<Face>& cars_;
    UiucRule rule_;
    BoxIndex index_;
};

/// Evaluator.java: each detection takes the first car that it hits and that is left.
ImageTrace trace_first_cars(const ProtocolImage& image, std::size_t index, const UiucRule& rule) {
    const std::vector<Face>& cars = image.sample->faces;
    ImageTrace trace = start_trace(*image.sample, index, image.detections);
    ImageEvaluation& outcome = trace.outcome;
    const UiucCars hits(cars, rule);
    for (const std::size_t d : order_by_falling_score(image.detections, ProtocolMode::strict)) {
        const Detection& detection = image.detections[d];
        outcome.outcomes[d] = DetectionMatch::false_positive;
        hits.visit_hits(detection.box, [&](std::size_t car, double) {
            if (outcome.outcomes[d] == DetectionMatch::true_positive) return;
            if (cars[car].ignore) outcome.outcomes[d] = DetectionMatch::ignored;
            if (cars[car].ignore || outcome.face_match[car] >= 0) return;
            outcome.outcomes[d] = DetectionMatch::true_positive;
            outcome.face_match[car] = static_cast<int>(d);
            trace.face_iou[car] = intersection_over_union(cars[car].box, detection.box);
            trace.change(car, trace.face_iou[car]);
        });
        trace.add_step(detection.score, outcome.outcomes[d] == DetectionMatch::true_positive ? 1 : 0,
                       outcome.outcomes[d] == DetectionMatch::false_positive ? 1 : 0);
    }
    return trace;
}

/// Most cars, and of these assignments the nearest.
ImageTrace trace_most_cars(const ProtocolImage& image, std::size_t index, const UiucRule& rule) {
    const std::vector<Face>& cars = image.sample->faces;
    const auto largest = static_cast<std::int64_t>(uiuc_distance_units);
    const std::int64_t for_pair = (static_cast<std::int64_t>(cars.size()) + 1) * largest;
    const UiucCars hits(cars, rule);
    std::vector<PairedDetection> pairs(image.detections.size());
    for (std::size_t d = 0; d < pairs.size(); ++d) {
        const Box& found = image.detections[d].box;
        hits.visit_hits(found, [&](std::size_t car, double distance) {
            if (cars[car].ignore) {
                pairs[d].hits_ignored_face = true;
                return;
            }
            pairs[d].candidates.push_back({static_cast<int>(car),
                                           for_pair - std::llround(distance * uiuc_distance_units),
                                           intersection_over_union(cars[car].box, found), 0, true});
        });
    }
    return trace_optimal_pairs(*image.sample, index, image.detections, pairs,
                               order_by_falling_score(image.detections, ProtocolMode::corrected))
        .trace;
}

std::vector<Quantity> uiuc_quantities(double cars) {
    std::vector<Quantity> statistics{
        {"recall_at_eer", "Recall at EER",
         "Recall where it equals precision (equal error rate), linear between two thresholds.",
         Better::higher, Unit::share},
        {"best_f", "Best F-measure",
         "Largest 2 · recall · precision / (recall + precision) at any threshold.", Better::higher,
         Unit::share},
        {"recall_at_best_f", "Recall at best F",
         "Objects found / objects, at the threshold of the best F-measure.", Better::higher, Unit::share},
        {"precision_at_best_f", "Precision at best F",
         "Objects found / detections, at the threshold of the best F-measure.", Better::higher, Unit::share},
        {"max_recall", "Largest recall", "Objects found / objects, with every detection kept.",
         Better::higher, Unit::share},
        {"precision_at_max_recall", "Precision at the largest recall",
         "Objects found / detections, with every detection kept.", Better::higher, Unit::share}};
    statistics[2].trials = cars;
    statistics[4].trials = cars;
    return statistics;
}

// The trace is the rule's; IoU in it is that of the boxes.
class UiucEvaluation : public ProtocolEvaluation {
  public:
    UiucEvaluation(const std::vector<ProtocolImage>& images, ProtocolMode mode, bool is_multi_scale)
        : traces_(make_traces(images, mode, UiucRule(is_multi_scale, mode))),
          cars_(count_cars(images)),
          curve_(traces_, cars_),
          quantities_(uiuc_quantities(std::accumulate(cars_.begin(), cars_.end(), 0.0))) {}

    std::size_t units() const override { return traces_.size(); }
    const std::vector<Quantity>& quantities() const override { return quantities_; }

    void evaluate(Weights weights, std::span<double> values) const override {
        const RecallPrecision::Numbers numbers = curve_.numbers(weights);
        const std::array all{numbers.recall_at_eer,       numbers.best_f, numbers.recall_at_best_f,
                             numbers.precision_at_best_f, numbers.recall, numbers.precision};
        std::copy(all.begin(), all.end(), values.begin());
    }

    ImageTrace trace(std::size_t image) const override { return traces_[image]; }

    std::vector<std::string> warnings() const override {
        const RecallPrecision::Numbers numbers =
            curve_.numbers(std::vector<std::uint16_t>(traces_.size(), 1));
        if (!std::isnan(numbers.recall_at_eer) || std::isnan(numbers.best_f)) return {};
        return {
            "Recall equals precision at no threshold, so there is no recall at EER: as many detections must "
            "count as there are objects. Let the detector write more detections, with scores that differ."};
    }

  private:
    static std::vector<ImageTrace> make_traces(const std::vector<ProtocolImage>& images, ProtocolMode mode,
                                               const UiucRule& rule) {
        std::vector<ImageTrace> traces(images.size());
        for (const ProtocolImage& image : images) check_finite(*image.sample, image.detections);
        tbb::parallel_for(std::size_t{0}, images.size(), [&](std::size_t i) {
            traces[i] = mode == ProtocolMode::strict ? trace_first_cars(images[i], i, rule)
                                                     : trace_most_cars(images[i], i, rule);
        });
        return traces;
    }

    static std::vector<int> count_cars(const std::vector<ProtocolImage>& images) {
        std::vector<int> counts;
        for (const ProtocolImage& image : images) {
            counts.push_back(static_cast<int>(
                std::ranges::count_if(image.sample->faces, [](const Face& car) { return !car.ignore; })));
        }
        return counts;
    }

    std::vector<ImageTrace> traces_;
    std::vector<int> cars_;
    RecallPrecision curve_;
    std::vector<Quantity> quantities_;
};

}  // namespace

std::unique_ptr<ProtocolEvaluation> evaluate_uiuc(const std::vector<ProtocolImage>& images, ProtocolMode mode,
                                                  bool is_multi_scale) {
    return std::make_unique<UiucEvaluation>(images, mode, is_multi_scale);
}

}  // namespace fovea
