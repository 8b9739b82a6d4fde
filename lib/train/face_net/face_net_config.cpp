#include "lib/train/face_net/face_net_config.hpp"

#include <algorithm>

#include "lib/core/error.hpp"
#include "lib/files/find_model.hpp"
#include "lib/files/sha256.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/json.hpp"

namespace fovea {
namespace {

constexpr const char* net_training_group = "Training";

bool is_multiple(std::size_t value, std::size_t of) {
    return value > 0 && value % of == 0;
}

}  // namespace

void describe(FieldVisitor& visitor, PhotographSettings& photographs) {
    visitor.value({.key = "dataset", .is_path = true}, &photographs.dataset);
    visitor.rule("dataset", !photographs.dataset.empty(), "a dataset");
    visitor.value({.key = "share", .range = above(0)}, &photographs.share);
    visitor.value({.key = "is_complete"}, &photographs.is_complete);
    visitor.value({.key = "left", .range = from_to(-2, 2)}, &photographs.left);
    visitor.value({.key = "top", .range = from_to(-2, 2)}, &photographs.top);
    visitor.value({.key = "right", .range = from_to(-2, 2)}, &photographs.right);
    visitor.value({.key = "bottom", .range = from_to(-2, 2)}, &photographs.bottom);
    visitor.rule("right", photographs.right > photographs.left, "more than 'left'");
    visitor.rule("bottom", photographs.bottom > photographs.top, "more than 'top'");
}

void describe(FieldVisitor& visitor, NetWidth& width) {
    constexpr std::size_t most = 128;
    visitor.value({.key = "stem"}, &width.stem);
    visitor.rule("stem", is_multiple(width.stem, 16) && width.stem <= width.trunk,
                 "a multiple of 16, and at most 'trunk'");
    visitor.value({.key = "quarter"}, &width.quarter);
    visitor.rule("quarter", is_multiple(width.quarter, 16) && width.quarter <= width.trunk,
                 "a multiple of 16, and at most 'trunk'");
    visitor.value({.key = "trunk"}, &width.trunk);
    visitor.rule("trunk", is_multiple(width.trunk, 16) && width.trunk <= most,
                 "a multiple of 16, and at most 128");
}

void describe(FieldVisitor& visitor, CropSettings& crops) {
    visitor.value({.key = "side", .range = from_to(32, 1024, "pixels")}, &crops.side);
    visitor.rule("side", is_multiple(crops.side, 32), "a multiple of 32");
    visitor.value({.key = "min_face", .range = at_least(4)}, &crops.min_face);
    visitor.value({.key = "max_face", .range = at_least(4)}, &crops.max_face);
    visitor.rule("max_face", crops.max_face >= crops.min_face, "at least 'min_face'");
    visitor.value({.key = "max_enlargement", .range = from_to(0.2, 10)}, &crops.max_enlargement);
    visitor.value({.key = "turn_deg", .range = from_to(0, 90)}, &crops.turn_deg);
    visitor.value({.key = "aspect", .range = from_to(0, 1)}, &crops.aspect);
    visitor.value({.key = "contrast", .range = from_to(0, 2)}, &crops.contrast);
    visitor.value({.key = "light", .range = from_to(0, 255)}, &crops.light);
    visitor.value({.key = "max_noise", .range = from_to(0, 128)}, &crops.max_noise);
    visitor.value({.key = "filled", .range = from_to(0, 1)}, &crops.filled);
    visitor.value({.key = "mosaic", .range = from_to(0, 1)}, &crops.mosaic);
    visitor.value({.key = "clutter", .range = from_to(0, 1)}, &crops.clutter);
}

void describe(FieldVisitor& visitor, FaceNetTrainConfig& config) {
    FaceNetSettings& training = config.training;
    visitor.value({.key = "name"}, &config.name);
    visitor.objects("photographs", list_of(config.photographs));
    visitor.value({.key = "kept",
                   .flag = {.name = "--kept",
                            .type = "DATASET...",
                            .group = "Data",
                            .help = "Datasets that the network is judged on, instead of the configured ones"},
                   .is_path = true},
                  &config.kept);
    visitor.value({.key = "max_side", .range = from_to(32, 8192, "pixels")}, &config.max_side);
    visitor.object("width", fields_of(training.width));
    visitor.object("crops", fields_of(training.crops));
    visitor.object("mining", fields_of(training.mining));
    visitor.object("teacher", fields_of(training.teacher));
    visitor.value({.key = "batch", .range = from_to(2, 4096)}, &training.batch);
    visitor.value({.key = "steps",
                   .range = from_to(1, 10000000),
                   .flag = {.name = "--steps",
                            .type = "N",
                            .group = net_training_group,
                            .help = "Steps of the training (default {default})"}},
                  &training.steps);
    visitor.value({.key = "warm_up", .range = from_to(0, 10000000)}, &training.warm_up);
    visitor.value({.key = "learning_rate", .range = above_at_most(0, 1)}, &training.learning_rate);
    visitor.value({.key = "weight_decay", .range = from_to(0, 1)}, &training.weight_decay);
    visitor.value({.key = "max_gradient", .range = above(0)}, &training.max_gradient);
    visitor.value({.key = "average", .range = at_least_below(0, 1)}, &training.average);
    visitor.value({.key = "seed",
                   .flag = {.name = "--seed",
                            .type = "N",
                            .group = net_training_group,
                            .help = "Seed of weights and crops"}},
                  &training.seed);
}

Json settings_without_paths(const FaceNetTrainConfig& config) {
    Json json = json_of(config);
    for (Json& photographs : json["photographs"]) photographs.erase("dataset");
    // The training does not depend on them.
    json.erase("kept");
    const std::string& teacher = config.training.teacher.model;
    if (!teacher.empty()) json["teacher"]["model"] = sha256_of_file(find_model(teacher));
    return json;
}

void validate_face_net_config(const FaceNetTrainConfig& config) {
    if (config.photographs.empty())
        throw UsageError("there are no photographs to train on: name datasets with boxes in 'photographs'");
    check_config("", config);
}

}  // namespace fovea
