#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include "lib/config/config.hpp"
#include "lib/core/error.hpp"
#include "lib/core/nearest_name.hpp"
#include "lib/evaluate/protocols/detection_protocols.hpp"
#include "lib/json/field.hpp"

namespace fovea {
namespace {

std::vector<std::string> protocol_choices() {
    std::vector<std::string> names = protocol_names();
    names.insert(names.begin(), auto_protocol);
    return names;
}

// Protocols of a single data set stand last.
std::vector<std::string> mode_names() {
    return {mode_name(ProtocolMode::strict), mode_name(ProtocolMode::corrected),
            mode_name(ProtocolMode::port)};
}

NamedValue protocol_value(EvaluationConfig& config) {
    return {protocol_choices(),
            [&config] {
                return config.protocol_of_dataset ? auto_protocol : record_of(config.options.protocol).name;
            },
            [&config](const std::string& name) { set_protocol(name, config); }};
}

NamedValue mode_value(DetectionEvaluationOptions& options) {
    return {mode_names(), [&options] { return mode_name(options.mode); },
            [&options](const std::string& name) { options.mode = mode_from_string(name); }};
}

FieldFlag evaluation_flag(const char* name, const char* type, const std::string& help,
                          bool is_checked = false) {
    return {.name = name, .type = type, .group = "Evaluation", .help = help, .is_checked = is_checked};
}

}  // namespace

void describe(FieldVisitor& visitor, EvaluationConfig& config) {
    DetectionEvaluationOptions& options = config.options;
    visitor.value({.key = "enabled"}, &config.enabled);
    visitor.value({.key = "protocol",
                   .flag = evaluation_flag(
                       "--protocol", "PROTOCOL",
                       "Rules of the evaluation (default {default}: the dataset's own, else iou)", true)},
                  protocol_value(config));
    visitor.value(
        {.key = "mode",
         .flag = evaluation_flag(
             "--mode", "MODE",
             "strict: as the official program computes; corrected: without its quirks; port: as WIDER FACE's "
             "Python port (default {default})",
             true)},
        mode_value(options));
    visitor.value({.key = "iou_threshold",
                   .range = above_at_most(0, 1),
                   .flag = evaluation_flag("--iou-threshold", "T",
                                           "Smallest IoU of a hit, for iou (default {default})")},
                  &options.iou_threshold);
    visitor.value({.key = "oks_sigmas",
                   .range = above_at_most(0, 10),
                   .flag = advanced(evaluation_flag(
                       "--oks-sigmas", "S",
                       "For oks: sigmas of the landmarks, or one for all (default: COCO's for 17 points, "
                       "COCO-WholeBody's for 68)"))},
                  &options.oks_sigmas);
    visitor.value({.key = "false_positive_points",
                   .range = at_least(0),
                   .flag = evaluation_flag(
                       "--fp-points", "N,N,...",
                       "Numbers of false positives to report the detection rate at (default {default})")},
                  &options.false_positive_points);
    visitor.value(
        {.key = "bootstrap_resamples",
         .range = between(0, 1e6, "no intervals"),
         .flag = evaluation_flag("--resamples", "N",
                                 "Resamples for the 95 % intervals; 0 for none (default {default})", true)},
        &options.bootstrap_resamples);
    visitor.value(
        {.key = "bootstrap_seed",
         .flag = advanced(evaluation_flag("--seed", "N", "Seed of the resamples (default {default})"))},
        &options.bootstrap_seed);
}

void set_protocol(const std::string& name, EvaluationConfig& evaluation) {
    evaluation.protocol_of_dataset = name == auto_protocol;
    if (evaluation.protocol_of_dataset) return;
    if (const ProtocolRecord* known = find_protocol(name)) {
        evaluation.options.protocol = known->protocol();
        return;
    }
    const std::vector<std::string> names = protocol_choices();
    throw UsageError(fmt::format("there is no protocol '{}'{}; protocols: {}", name,
                                 did_you_mean(name, names), fmt::join(names, ", ")));
}

DetectionEvaluationOptions options_for(const EvaluationConfig& evaluation, const Dataset& dataset) {
    DetectionEvaluationOptions options = evaluation.options;
    if (!evaluation.protocol_of_dataset) return options;
    options.protocol = DetectionProtocol::iou;
    for (const ProtocolRecord& protocol : detection_protocols()) {
        if (!protocol.dataset_format.empty() && protocol.dataset_format == dataset.format)
            options.protocol = protocol.protocol();
    }
    return options;
}

ProtocolMode mode_from_string(const std::string& name) {
    if (const std::optional<ProtocolMode> mode = find_mode(name)) return *mode;
    throw UsageError("there is no mode '" + name + "': use strict, corrected or, for WIDER FACE, port");
}

}  // namespace fovea
