#include <algorithm>

#include "lib/config/config.hpp"
#include "lib/files/model_file.hpp"
#include "lib/json/field.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/json.hpp"
#include "lib/json/names.hpp"

namespace fovea {
namespace {

constexpr NameTable<ScoreKind, 4> score_names{{"auto", "neighbors", "stage_sum", "confidence"},
                                              "is no score"};

FieldFlag detector_flag(const char* name, const char* type, const std::string& help) {
    return {.name = name, .type = type, .group = "Detector", .help = help};
}

// The help names them last.
FieldFlag outcome_flag(const char* name, const char* type, const std::string& help, int place) {
    FieldFlag flag = detector_flag(name, type, help);
    flag.place = place;
    return flag;
}

FieldFlag score_flag() {
    FieldFlag flag = outcome_flag(
        "--score", "SCORE",
        "Score of a detection; {default} (default): confidence with MCT and networks, else neighbors", 1);
    flag.is_checked = true;
    return advanced(flag);
}

bool is_file_name(const std::string& name) {
    return name.find('/') == std::string::npos && name != "." && name != ".." &&
           std::none_of(name.begin(), name.end(),
                        [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

}  // namespace

std::string to_string(ScoreKind score) {
    return score_names.name_of(score);
}

void describe(FieldVisitor& visitor, DetectorOptions& options) {
    visitor.value({.key = "scale_factor",
                   .flag = detector_flag("--scale-factor", "F",
                                         "Ratio of neighbouring window sizes (default 1.1; MCT 1.15)")},
                  &options.scale_factor);
    visitor.value(
        {.key = "min_neighbors",
         .flag = detector_flag("--min-neighbors", "N",
                               "Keep groups of more than N windows; 0 = do not group (default 3; MCT 1)")},
        &options.min_neighbors);
    visitor.value(
        {.key = "min_size", .flag = detector_flag("--min-size", "WxH", "Smallest window (networks: box)")},
        &options.min_size);
    visitor.value(
        {.key = "max_size",
         .flag = detector_flag("--max-size", "WxH", "Largest window (networks: box); 0 = the image")},
        &options.max_size);
    visitor.value({.key = "border",
                   .flag = advanced(detector_flag(
                       "--border", "N",
                       "Continue the image by N pixels on each side, to find what its border cuts off "
                       "(default {default})"))},
                  &options.border);
    visitor.value({.key = "score", .flag = score_flag()}, named(options.score, score_names));
    visitor.value({.key = "raw",
                   .flag = advanced(outcome_flag(
                       "--raw", "", "Every window that passed, ungrouped, with its last stage sum", 3))},
                  &options.raw);
    visitor.value({.key = "start_scale",
                   .flag = advanced(detector_flag(
                       "--start-scale", "F",
                       "Scale of the smallest window, MCT only; values below 1 find smaller faces "
                       "(default {default})"))},
                  &options.start_scale);
    visitor.value({.key = "step",
                   .flag = advanced(
                       detector_flag("--step", "N", "Pixels between windows, MCT only (default {default})"))},
                  &options.step);
    visitor.value({.key = "min_score",
                   .flag = outcome_flag("--min-score", "S",
                                        "Drop detections below this score (default: keep all, of networks "
                                        "nearly all; 'fovea detect': 0.5 where the score is a confidence)",
                                        2)},
                  &options.min_score);
    // The detector knows its ranges: it checks them for callers without a configuration, too.
    if (const auto problem = find_option_problem(options)) {
        visitor.rule(problem->option, false, problem->expected);
    }
    // A scan finds nothing between contrary limits, which nobody asks for. A maximum with a zero in it means
    // the image, the same as in OpenCV.
    const bool has_maximum = options.max_size.width > 0 && options.max_size.height > 0;
    visitor.rule("max_size",
                 !has_maximum || (options.max_size.width >= options.min_size.width &&
                                  options.max_size.height >= options.min_size.height),
                 "at least as large as min_size");
}

void describe(FieldVisitor& visitor, BoxOffsets& offsets) {
    for (const auto& [key, value] : {std::pair{"left", &offsets.left}, std::pair{"right", &offsets.right},
                                     std::pair{"top", &offsets.top}, std::pair{"bottom", &offsets.bottom}})
        visitor.value({.key = key, .range = from_to(-2, 2)}, value);
    visitor.rule("right", 1 + offsets.right > offsets.left, "more than left - 1");
    visitor.rule("bottom", 1 + offsets.bottom > offsets.top, "more than top - 1");
}

void describe(FieldVisitor& visitor, DetectorConfig& config) {
    visitor.value({.key = "name"}, &config.name);
    visitor.value({.key = "model", .is_path = true}, &config.model);
    describe(visitor, config.options);
    visitor.object("box_offsets", fields_of(config.box_offsets));
    visitor.rule("name", is_file_name(detector_name(config)),
                 "fit for a file name: no '/' and no control characters");
}

std::string detector_name(const DetectorConfig& detector) {
    return detector.name.empty() ? model_name(detector.model) : detector.name;
}

}  // namespace fovea
