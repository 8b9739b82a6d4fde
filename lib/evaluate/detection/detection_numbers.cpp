#include "lib/evaluate/detection/detection_numbers.hpp"

#include <algorithm>

#include "lib/evaluate/detection/detection_curve.hpp"

namespace fovea {
namespace {

struct SharedNumber {
    const char* key;
    double DetectionEvaluation::*value;
    bool (*is_defined)(const DetectionEvaluation& evaluation);
};

bool has_judged(const DetectionEvaluation& evaluation) {
    return evaluation.true_positives + evaluation.false_positives > 0;
}
bool has_found(const DetectionEvaluation& evaluation) {
    return evaluation.true_positives > 0;
}
bool has_faces(const DetectionEvaluation& evaluation) {
    return evaluation.faces > 0;
}
bool is_always(const DetectionEvaluation&) {
    return true;
}

constexpr SharedNumber curve_numbers[] = {
    {"average_precision", &DetectionEvaluation::average_precision, is_always},
    {"best_f1", &DetectionEvaluation::best_f1, is_always},
};
constexpr SharedNumber kept_numbers[] = {
    {"detection_rate", &DetectionEvaluation::detection_rate, has_faces},
    {"precision", &DetectionEvaluation::precision, has_judged},
    {"f1", &DetectionEvaluation::f1, has_judged},
    {"false_positives_per_image", &DetectionEvaluation::false_positives_per_image, is_always},
    {"mean_iou", &DetectionEvaluation::mean_iou, has_found},
    {"continuous_rate", &DetectionEvaluation::continuous_rate, has_faces},
};

}  // namespace

Numbers detection_numbers(const DetectionEvaluation& evaluation) {
    Numbers numbers;
    const auto add = [&](const SharedNumber& shared) {
        const auto quantity =
            std::find_if(shared_quantities().begin(), shared_quantities().end(),
                         [&](const Quantity& candidate) { return candidate.key == shared.key; });
        Number& number = numbers.emplace_back(Number{*quantity, {}, {}});
        if (shared.is_defined(evaluation)) number.value = evaluation.*shared.value;
        for (const Number& estimate : evaluation.estimates) {
            if (estimate.quantity.key == shared.key && number.value) number.ci95 = estimate.ci95;
        }
    };
    add(curve_numbers[0]);
    for (const RateAtFalsePositives& rate : evaluation.rate_at_false_positives) {
        numbers.push_back(
            {rate_quantity(rate.false_positives), rate.detection_rate, rate.detection_rate_ci95});
    }
    add(curve_numbers[1]);
    for (const SharedNumber& shared : kept_numbers) add(shared);
    return numbers;
}

}  // namespace fovea
