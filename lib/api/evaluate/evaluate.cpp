#include <utility>

#include <fovea/evaluate.hpp>

#include "lib/api/common/guarded.hpp"
#include "lib/api/evaluate/data.hpp"
#include "lib/config/config.hpp"
#include "lib/core/nearest_name.hpp"
#include "lib/evaluate/detection/detection.hpp"
#include "lib/evaluate/evaluate_detection.hpp"
#include "lib/evaluate/protocols/detection_protocols.hpp"

namespace fovea::api {
namespace {

DetectionEvaluationOptions inner_options(const EvaluationOptions& options, const fovea::Dataset& dataset) {
    RunConfig config;
    EvaluationConfig& evaluation = config.evaluation;
    set_protocol(options.protocol, evaluation);
    evaluation.options.mode = mode_from_string(options.mode);
    evaluation.options.iou_threshold = options.iou_threshold;
    evaluation.options.false_positive_points = options.false_positive_points;
    evaluation.options.bootstrap_resamples = options.resamples;
    evaluation.options.bootstrap_seed = options.seed;
    validate_run_config(config);
    return options_for(evaluation, dataset);
}

Number outer_number(const fovea::Number& inner, const std::string& prefix) {
    const Quantity& quantity = inner.quantity;
    return {prefix + quantity.key,      quantity.name, quantity.definition, quantity.is_share(),
            is_higher_better(quantity), inner.value,   inner.ci95};
}

}  // namespace

Evaluation evaluate(const Dataset& dataset, const Results& results, const EvaluationOptions& options) {
    return guarded([&] {
        const fovea::Dataset& inner_dataset = dataset.data().dataset;
        const DetectionEvaluationOptions with = inner_options(options, inner_dataset);
        const DetectionEvaluation inner =
            evaluate_detection(inner_dataset, results.data().results, with, "detector");
        Evaluation evaluation;
        evaluation.protocol = record_of(with.protocol).name;
        evaluation.images = inner.images;
        evaluation.images_unreadable = inner.images_unreadable;
        evaluation.images_missing = inner.images_missing;
        evaluation.faces = inner.faces;
        evaluation.detections = inner.detections;
        evaluation.true_positives = inner.true_positives;
        evaluation.false_positives = inner.false_positives;
        for (const fovea::Number& number : inner.estimates)
            evaluation.numbers.push_back(outer_number(number, ""));
        for (const ProtocolNumber& number : inner.protocol_numbers)
            evaluation.numbers.push_back(outer_number(number.estimate, evaluation.protocol + "."));
        for (const RocPoint& point : inner.roc) {
            evaluation.curve.push_back({point.threshold, point.true_positives, point.false_positives,
                                        point.detection_rate, point.precision});
        }
        evaluation.warnings = inner.warnings;
        const std::vector<std::string>& of_results = results.data().results.warnings;
        evaluation.warnings.insert(evaluation.warnings.begin(), of_results.begin(), of_results.end());
        return evaluation;
    });
}

const Number& Evaluation::number(std::string_view key) const {
    std::vector<std::string> keys;
    for (const Number& number : numbers) {
        if (number.key == key) return number;
        keys.push_back(number.key);
    }
    throw UsageError("the evaluation has no number '" + std::string(key) + "'" + did_you_mean(key, keys));
}

}  // namespace fovea::api
