#include "lib/train/cascade/cascade_config.hpp"

#include <cstdint>

#include <spdlog/fmt/fmt.h>

#include "lib/core/error.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/json.hpp"
#include "lib/json/names.hpp"
#include "lib/train/cascade/cascade_sweep.hpp"

namespace fovea {
namespace {

constexpr const char* cascade_data_group = "Data";
constexpr const char* cascade_training_group = "Training";

constexpr NameTable<FeatureChoice, 5> feature_names{
    {"haar-basic", "haar-core", "haar-all", "haar-oro", "lbp"}, "is no pool of features"};
constexpr NameTable<BoostKind, 4> boost_names{{"gentle", "real", "discrete", "logit"},
                                              "is no kind of boosting"};

/// The share of the files that a sweep is tested on if nothing else is said.
constexpr double sweep_test_share = 0.2;

void check_sweep(const std::string& text) {
    if (!text.empty()) CascadeSweep::parse(text);
}

FieldFlag training_flag(const char* name, const char* type, const std::string& help) {
    return {.name = name, .type = type, .group = cascade_training_group, .help = help};
}

}  // namespace

void describe(FieldVisitor& visitor, SampleStrip& strip) {
    visitor.value({.key = "path", .is_path = true}, &strip.path);
    visitor.value({.key = "tile_height", .range = from_to(3, 4096, "pixels")}, &strip.tile_height);
    visitor.value({.key = "x"}, &strip.x);
    visitor.value({.key = "y"}, &strip.y);
    visitor.value({.key = "side"}, &strip.side);
    const bool is_whole = !strip.x && !strip.y && !strip.side;
    visitor.rule("side", is_whole || (strip.x && strip.y && strip.side && *strip.side >= 1),
                 "given with 'x' and 'y', and 1 pixel or more");
    visitor.rule("path", !strip.path.empty(), "a file");
}

void describe(FieldVisitor& visitor, AugmentOptions& options) {
    visitor.value({.key = "max_angle_x_deg", .range = from_to(0, 75)}, &options.max_angle_x_deg);
    visitor.value({.key = "max_angle_y_deg", .range = from_to(0, 75)}, &options.max_angle_y_deg);
    visitor.value({.key = "max_angle_z_deg", .range = from_to(0, 180)}, &options.max_angle_z_deg);
    visitor.value({.key = "max_scale", .range = from_to(0, 1)}, &options.max_scale);
    visitor.value({.key = "max_shift", .range = from_to(0, 0.5)}, &options.max_shift);
    visitor.value({.key = "max_light", .range = from_to(0, 255)}, &options.max_light);
    visitor.value({.key = "max_contrast", .range = from_to(0, 1)}, &options.max_contrast);
    visitor.value({.key = "max_blur", .range = from_to(0, 20)}, &options.max_blur);
    visitor.value({.key = "max_noise", .range = from_to(0, 128)}, &options.max_noise);
    visitor.value({.key = "mirrored"}, &options.mirrored);
    visitor.value({.key = "background_colour", .range = from_to(0, 255, "(a grey level), or null")},
                  &options.background_colour);
    visitor.value({.key = "background_threshold", .range = from_to(0, 255)}, &options.background_threshold);
}

void describe(FieldVisitor& visitor, SampleSettings& samples) {
    visitor.value(
        {.key = "margin",
         .range = from_to(-0.4, 5),
         .flag = training_flag("--margin", "M",
                               "Added to a box on each side, as a share of its size (default {default})")},
        &samples.margin);
    visitor.value({.key = "distorted"}, &samples.distorted);
    visitor.value({.key = "min_box", .range = at_least(0)}, &samples.min_box);
    visitor.value(
        {.key = "mirrored",
         .flag = training_flag("--mirrored", "", "Train on the mirror image of each positive, too")},
        &samples.mirrored);
    visitor.value({.key = "plain"}, &samples.plain);
    visitor.value(
        {.key = "copies",
         .range = from_to(0, 10000),
         .flag = training_flag("--copies", "N",
                               "Changed copies of each positive, as \"samples\" says (default {default})")},
        &samples.copies);
    visitor.value({.key = "max_sources"}, &samples.max_sources);
    visitor.value({.key = "max_count"}, &samples.max_count);
    visitor.object("augment", fields_of(samples.augment));
}

void describe(FieldVisitor& visitor, TreeSettings& trees) {
    visitor.value({.key = "kind",
                   .flag = {.name = "--boosting",
                            .group = cascade_training_group,
                            .help = "Kind of AdaBoost (default {default})",
                            .is_checked = true}},
                  named(trees.boosting, boost_names));
    visitor.value(
        {.key = "max_depth",
         .range = from_to(1, 4),
         .flag = training_flag("--max-depth", "N", "Depth of the trees; 1 = stumps (default {default})")},
        &trees.max_depth);
    visitor.value({.key = "weight_trim_rate", .range = above_at_most(0, 1)}, &trees.weight_trim_rate);
    visitor.value({.key = "balanced"}, &trees.balanced);
}

void describe(FieldVisitor& visitor, StageSettings& stages) {
    visitor.value({.key = "count",
                   .range = from_to(1, 100),
                   .flag = training_flag("--stages", "N", "Stages at most (default {default})")},
                  &stages.stages);
    visitor.value({.key = "min_hit_rate",
                   .range = inside(0.5, 1),
                   .flag = training_flag("--min-hit-rate", "R",
                                         "Share of the positives that a stage keeps (default {default})")},
                  &stages.min_hit_rate);
    visitor.value(
        {.key = "max_false_alarm",
         .range = inside(0, 1),
         .flag = training_flag("--max-false-alarm", "R",
                               "Share of the negatives that a stage lets pass (default {default})")},
        &stages.max_false_alarm);
    visitor.value({.key = "max_weak_count", .range = from_to(1, 10000)}, &stages.max_weak_count);
    visitor.value({.key = "negatives",
                   .range = from_to(20, 10000000),
                   .flag = training_flag("--negatives", "N",
                                         "Windows that each stage is trained against (default {default})")},
                  &stages.negatives);
    visitor.value({.key = "min_negatives", .range = from_to(3, 10000000)}, &stages.min_negatives);
    visitor.value({.key = "held_out", .range = at_least_below(0, 0.9)}, &stages.held_out);
}

void describe(FieldVisitor& visitor, TestSettings& test) {
    visitor.value({.key = "share",
                   .range = at_least_below(0, 0.9),
                   .flag = training_flag("--test-share", "S",
                                         fmt::format("Share of the files that the cascade is tested on "
                                                     "(default {{default}}; {} with --sweep)",
                                                     sweep_test_share))},
                  &test.share);
    visitor.value({.key = "positives",
                   .flag = {.name = "--test-positives",
                            .type = "DATASET...",
                            .group = cascade_data_group,
                            .help = "Positives to test on, in place of a share of the others"},
                   .is_path = true},
                  &test.positives);
    visitor.value({.key = "backgrounds",
                   .flag = {.name = "--test-backgrounds",
                            .type = "DATASET...",
                            .group = cascade_data_group,
                            .help = "Backgrounds to test on, in place of a share of the others"},
                   .is_path = true},
                  &test.backgrounds);
    visitor.value({.key = "copies", .range = from_to(0, 10000, "or null (as many as for training)")},
                  &test.copies);
    visitor.value({.key = "max_positives"}, &test.max_positives);
    visitor.value({.key = "negatives", .range = from_to(0, 10000000)}, &test.negatives);
}

void describe(FieldVisitor& visitor, CascadeTrainConfig& config) {
    visitor.value({.key = "name"}, &config.name);
    visitor.value({.key = "width",
                   .range = from_to(8, 256, "pixels"),
                   .flag = training_flag("--width", "N", "Width of the window, pixels (default {default})")},
                  &config.width);
    visitor.value(
        {.key = "height",
         .range = from_to(8, 256, "pixels"),
         .flag = training_flag("--height", "N", "Height of the window, pixels (default {default})")},
        &config.height);
    visitor.value({.key = "features",
                   .flag = {.name = "--features",
                            .group = cascade_data_group,
                            .help = "Features: OpenCV's pools of Haar features, Oro's, or LBP "
                                    "(default {default})",
                            .is_checked = true}},
                  named(config.features, feature_names));
    visitor.value({.key = "positives",
                   .flag = {.name = "--positives",
                            .type = "DATASET...",
                            .group = cascade_data_group,
                            .help = "Datasets with boxes, folders of crops, or .vec files (vec:FILE)"},
                   .is_path = true},
                  &config.positives);
    visitor.objects("strips", list_of(config.strips));
    visitor.value({.key = "backgrounds",
                   .flag = {.name = "--backgrounds",
                            .type = "DATASET...",
                            .group = cascade_data_group,
                            .help = "Images without the object, or with boxes around all of them"},
                   .is_path = true},
                  &config.backgrounds);
    visitor.object("samples", fields_of(config.samples));
    visitor.object("boosting", fields_of(config.trees));
    visitor.object("stages", fields_of(config.stages));
    visitor.object("test", fields_of(config.test));
    visitor.value(
        {.key = "sweep",
         .flag = training_flag("--sweep", "FIELD=FIRST:LAST:STEP",
                               "Train a cascade for each value of max_false_alarm, min_hit_rate or "
                               "stages, and keep the one with the best F1 on windows not trained on"),
         .check = check_sweep},
        &config.sweep);
    visitor.value({.key = "scale_factor", .range = from_to(1.01, 4)}, &config.scale_factor);
    visitor.value({.key = "max_object_iou", .range = from_to(0, 1)}, &config.max_object_iou);
    visitor.value({.key = "bin_megabytes", .range = from_to(1, 1000000, "MB")}, &config.bin_megabytes);
    visitor.value({.key = "seed",
                   .flag = training_flag("--seed", "N", "Seed of copies and of the search for negatives")},
                  &config.seed);
}

double CascadeTrainConfig::test_share() const {
    return test.share > 0 || !has_test() ? test.share : sweep_test_share;
}

namespace {

std::uint64_t feature_count(const CascadeTrainConfig& config) {
    switch (config.features) {
        case FeatureChoice::haar_basic:
            return haar_feature_count(config.window(), HaarPool::basic);
        case FeatureChoice::haar_core:
            return haar_feature_count(config.window(), HaarPool::core);
        case FeatureChoice::haar_all:
            return haar_feature_count(config.window(), HaarPool::all);
        case FeatureChoice::haar_oro:
            return haar_feature_count(config.window(), HaarPool::oro);
        case FeatureChoice::lbp:
            break;
    }
    return lbp_feature_count(config.window());
}

void check_positives(const CascadeTrainConfig& config) {
    if (!config.positives.empty() || !config.strips.empty()) return;
    throw UsageError(
        "there are no positives to train on: name datasets with boxes, folders of crops or "
        ".vec files (vec:FILE) with --positives");
}

void check_feature_count(const CascadeTrainConfig& config) {
    const std::uint64_t count = feature_count(config);
    if (count <= max_pool_features) return;
    throw UsageError(fmt::format(
        "a window of {}x{} pixels has {} features of the pool '{}', more than {} features: take a smaller "
        "window (--width, --height) or a smaller pool (--features)",
        config.width, config.height, count, feature_names.name_of(config.features), max_pool_features));
}

}  // namespace

void validate_sample_config(const CascadeTrainConfig& config) {
    check_positives(config);
    if (config.samples.copies > 0 && config.backgrounds.empty()) {
        throw UsageError(
            "the copies of a training lie over pieces of its backgrounds: name these with --backgrounds, or "
            "leave out the copies (--copies 0)");
    }
    check_config("", config);
}

void validate_cascade_config(const CascadeTrainConfig& config) {
    check_positives(config);
    if (config.backgrounds.empty()) {
        throw UsageError(
            "there are no backgrounds to take negatives from: name folders of images without "
            "the object, or datasets with boxes around all of its kind, with --backgrounds");
    }
    check_config("", config);
    check_feature_count(config);
    if (!config.sweep.empty()) {
        const CascadeSweep sweep = CascadeSweep::parse(config.sweep);
        for (const SweepValue& value : sweep.values()) {
            try {
                check_config("", sweep.configuration(config, value));
            } catch (const UsageError& error) {
                throw UsageError(fmt::format("the sweep '{}' has the value {}: {}", config.sweep, value.text,
                                             error.what()));
            }
        }
    }
}

Json settings_without_paths(const CascadeTrainConfig& config) {
    Json json = json_of(config);
    for (const char* key : {"positives", "backgrounds"}) json.erase(key);
    json["positives"] = config.positives.size();
    json["test"]["positives"] = config.test.positives.size();
    json["test"]["backgrounds"] = config.test.backgrounds.size();
    Json strips = Json::array();
    for (Json strip : json.at("strips")) {
        strip.erase("path");
        strips.push_back(std::move(strip));
    }
    json["strips"] = std::move(strips);
    return json;
}

WindowFeatures features_of(const CascadeTrainConfig& config) {
    switch (config.features) {
        case FeatureChoice::haar_basic:
            return haar_features(config.window(), HaarPool::basic);
        case FeatureChoice::haar_core:
            return haar_features(config.window(), HaarPool::core);
        case FeatureChoice::haar_all:
            return haar_features(config.window(), HaarPool::all);
        case FeatureChoice::haar_oro:
            return haar_features(config.window(), HaarPool::oro);
        case FeatureChoice::lbp:
            break;
    }
    return lbp_features(config.window());
}

CascadeTrainerSettings trainer_settings(const CascadeTrainConfig& config) {
    CascadeTrainerSettings settings;
    settings.window = config.window();
    settings.trees = config.trees;
    settings.stages = config.stages;
    settings.scale_factor = config.scale_factor;
    settings.max_object_iou = config.max_object_iou;
    settings.max_bin_bytes = static_cast<std::size_t>(config.bin_megabytes) << 20;
    settings.seed = config.seed;
    return settings;
}

CascadeXmlInfo xml_info(const CascadeTrainConfig& config) {
    constexpr const char* boost_types[] = {"GAB", "RAB", "DAB", "LB"};
    CascadeXmlInfo info;
    info.boost_type = boost_types[static_cast<std::size_t>(config.trees.boosting)];
    info.min_hit_rate = config.stages.min_hit_rate;
    info.max_false_alarm = config.stages.max_false_alarm;
    info.weight_trim_rate = config.trees.weight_trim_rate;
    info.max_depth = config.trees.max_depth;
    info.max_weak_count = config.stages.max_weak_count;
    info.haar_mode = config.features == FeatureChoice::haar_all    ? "ALL"
                     : config.features == FeatureChoice::haar_core ? "CORE"
                                                                   : "BASIC";
    return info;
}

}  // namespace fovea
