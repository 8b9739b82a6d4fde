#include "lib/train/landmarks/landmark_config.hpp"

#include "lib/core/error.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/json.hpp"

namespace fovea {
namespace {

// \param place in the help, see FieldFlag.
FieldFlag tree_flag(const char* name, const std::string& help, int place = 0) {
    return {.name = name, .type = "N", .group = "Training", .help = help, .place = place};
}

}  // namespace

void describe(FieldVisitor& visitor, LandmarkBoxSettings& boxes) {
    visitor.value({.key = "detectors", .is_path = true}, &boxes.detectors);
    visitor.value({.key = "tight_share", .range = from_to(0, 1)}, &boxes.tight_share);
    visitor.rule("tight_share", !boxes.detectors.empty() || boxes.tight_share == 1,
                 "1 if there are no detectors, whose errors the other copies would have");
    visitor.value({.key = "widening", .range = from_to(0, 10)}, &boxes.widening);
    visitor.value({.key = "margin", .range = from_to(0, 2)}, &boxes.margin);
    RefitError& error = boxes.refit_error;
    visitor.object("refit_error", [&error](FieldVisitor& members) {
        members.value({.key = "shift", .range = from_to(0, 1)}, &error.shift);
        members.value({.key = "scale", .range = from_to(0, 1)}, &error.scale);
        members.value({.key = "turn_deg", .range = from_to(0, 90)}, &error.turn_deg);
    });
}

void describe(FieldVisitor& visitor, LandmarkCopySettings& copies) {
    visitor.value({.key = "count",
                   .range = from_to(1, 1000),
                   .flag = tree_flag("--oversampling", "Copies of every face, each in a box of its own", 1)},
                  &copies.count);
    visitor.value({.key = "mirrored"}, &copies.mirrored);
    visitor.value({.key = "rotation_deg", .range = from_to(0, 180)}, &copies.rotation_deg);
}

void describe(FieldVisitor& visitor, LandmarkPixelSettings& pixels) {
    visitor.value({.key = "count", .range = from_to(2, 4096)}, &pixels.count);
    visitor.value({.key = "padding", .range = from_to(-0.4, 2)}, &pixels.padding);
    visitor.value({.key = "prior", .range = above(0)}, &pixels.prior);
}

void describe(FieldVisitor& visitor, LandmarkTreeSettings& trees) {
    visitor.value({.key = "cascades",
                   .range = from_to(1, 1000),
                   .flag = tree_flag("--cascades", "Levels of the cascade")},
                  &trees.cascades);
    visitor.value({.key = "refit_after"}, &trees.refit_after);
    visitor.rule("refit_after", trees.refit_after >= 0 && trees.refit_after < trees.cascades,
                 "0, or less than 'cascades'");
    visitor.value(
        {.key = "trees", .range = from_to(1, 100'000), .flag = tree_flag("--trees", "Trees of each level")},
        &trees.trees);
    visitor.value({.key = "depth",
                   .range = from_to(1, 10),
                   .flag = tree_flag("--depth", "Splits from a tree's root to its leaves")},
                  &trees.depth);
    visitor.value({.key = "shrinkage", .range = above_at_most(0, 1)}, &trees.shrinkage);
    visitor.value({.key = "sample_share", .range = from_to(0.01, 1)}, &trees.sample_share);
    visitor.value({.key = "tests", .range = from_to(1, 1000)}, &trees.tests);
}

void describe(FieldVisitor& visitor, LandmarkTrainConfig& config) {
    visitor.value({.key = "name"}, &config.name);
    visitor.value({.key = "datasets",
                   .flag = {.name = "--dataset",
                            .type = "DATASET...",
                            .group = "Data",
                            .help = "Datasets with landmarks, instead of the configured ones"},
                   .is_path = true},
                  &config.datasets);
    visitor.object("boxes", fields_of(config.boxes));
    visitor.object("copies", fields_of(config.copies));
    visitor.object("pixels", fields_of(config.pixels));
    visitor.object("trees", fields_of(config.trees));
    visitor.value({.key = "subpixels", .range = from_to(1, 256)}, &config.subpixels);
    visitor.value({.key = "holdout", .range = at_least_below(0, 1)}, &config.holdout);
    visitor.value({.key = "seed", .flag = tree_flag("--seed", "Seed of boxes, pixels and splits", 2)},
                  &config.seed);
}

void validate_landmark_train_config(const LandmarkTrainConfig& config) {
    if (config.datasets.empty()) {
        throw UsageError("there are no faces to train on: name datasets with landmarks, e.g. pts:DIR");
    }
    check_config("", config);
}

}  // namespace fovea
