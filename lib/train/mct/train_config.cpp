#include "lib/train/mct/train_config.hpp"

#include <algorithm>

#include "lib/core/error.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/json.hpp"
#include "lib/json/names.hpp"

namespace fovea {
namespace {

constexpr const char* data_group = "Data";
constexpr const char* training_group = "Training";
constexpr NameTable<CascadeKind, 2> kind_names{{"soft", "staged"}, "is no cascade"};

bool are_rising_shares(const std::vector<LossPoint>& losses) {
    for (std::size_t i = 0; i < losses.size(); ++i) {
        if (losses[i].lookups <= (i > 0 ? losses[i - 1].lookups : 0)) return false;
        if (!(losses[i].loss >= 0 && losses[i].loss < 1)) return false;
    }
    return true;
}

// A stage can look at 484 positions at most.
int positions_in_all(const std::vector<int>& stages) {
    int positions = 0;
    for (const int allowed : stages) positions += std::min(allowed, 484);
    return positions;
}

JsonValue losses_value(CascadeSettings& cascade) {
    return {[&cascade] {
                Json list = Json::array();
                for (const LossPoint& point : cascade.losses) list.push_back({point.lookups, point.loss});
                return list;
            },
            [&cascade](const JsonPlace& place) {
                cascade.losses = place.list_of([](const JsonPlace& pair) {
                    const std::vector<double> numbers =
                        pair.numbers(2, "a pair of look-ups and a share, e.g. [40, 0.005]");
                    return LossPoint{pair[0].whole(), numbers[1]};
                });
            }};
}

}  // namespace

std::vector<LossPoint> default_losses() {
    return {{5, .001},   {10, .002},  {20, .003}, {40, .005}, {80, .008},
            {160, .012}, {280, .016}, {400, .02}, {520, .025}};
}

void describe(FieldVisitor& visitor, TileStrip& strip) {
    visitor.value({.key = "path", .is_path = true}, &strip.path);
    visitor.value({.key = "tile", .range = from_to(8, 4096, "pixels")}, &strip.tile);
    visitor.value({.key = "x"}, &strip.x);
    visitor.value({.key = "y"}, &strip.y);
    visitor.value({.key = "side", .range = above(0)}, &strip.side);
    visitor.rule("path", !strip.path.empty(), "a file");
}

void describe(FieldVisitor& visitor, JitterSettings& jitter) {
    visitor.value({.key = "copies", .range = from_to(1, 100)}, &jitter.copies);
    visitor.value({.key = "shift", .range = at_least_below(0, 1)}, &jitter.shift);
    visitor.value({.key = "scale", .range = at_least_below(0, 1)}, &jitter.scale);
    visitor.value({.key = "rotation_deg", .range = from_to(0, 180)}, &jitter.rotation_deg);
    visitor.value({.key = "noise", .range = from_to(0, 100)}, &jitter.noise);
    visitor.value({.key = "blur", .range = from_to(0, 1)}, &jitter.blur);
}

void describe(FieldVisitor& visitor, BoostSettings& boosting) {
    visitor.value({.key = "smoothing", .range = inside(0, 1)}, &boosting.smoothing);
    visitor.value({.key = "weight_unit", .range = from_to(1, 127)}, &boosting.weight_unit);
    visitor.value({.key = "shrinkage", .range = above_at_most(0, 1)}, &boosting.shrinkage);
}

void describe(FieldVisitor& visitor, CascadeSettings& cascade) {
    const std::string most = std::to_string(mct_max_lookups);
    visitor.value({.key = "kind",
                   .flag = {.name = "--cascade",
                            .group = training_group,
                            .help = "soft: a threshold after every look-up; staged: Froba and Ernst's stages",
                            .is_checked = true}},
                  named(cascade.kind, kind_names));
    visitor.value({.key = "coarse_lookups", .range = from_to(0, mct_max_coarse_lookups)},
                  &cascade.coarse_lookups);
    visitor.value({.key = "coarse_loss", .range = at_least_below(0, 1)}, &cascade.coarse_loss);
    visitor.value({.key = "lookups",
                   .flag = {.name = "--lookups",
                            .type = "N",
                            .group = training_group,
                            .help = "Look-ups of a soft cascade"}},
                  &cascade.lookups);
    visitor.rule("lookups",
                 cascade.lookups >= std::max(1, cascade.coarse_lookups) && cascade.lookups <= mct_max_lookups,
                 "at least 1 and the coarse ones, and at most " + most);
    visitor.value({.key = "losses"}, losses_value(cascade));
    visitor.rule("losses", are_rising_shares(cascade.losses), "pairs of rising look-ups and shares below 1");
    visitor.value({.key = "stage_positions"}, &cascade.stage_positions);
    const std::vector<int>& stages = cascade.stage_positions;
    visitor.rule("stage_positions",
                 std::all_of(stages.begin(), stages.end(), [](int allowed) { return allowed >= 1; }),
                 "a list of numbers above 0");
    visitor.rule("stage_positions", !stages.empty() && positions_in_all(stages) <= mct_max_lookups,
                 "at least one stage and at most " + most + " positions in all");
    visitor.value({.key = "stage_loss", .range = at_least_below(0, 1)}, &cascade.stage_loss);
}

void describe(FieldVisitor& visitor, NegativeSettings& negatives) {
    visitor.value({.key = "count",
                   .range = at_least(100),
                   .flag = {.name = "--negatives",
                            .type = "N",
                            .group = training_group,
                            .help = "Windows trained against at a time"}},
                  &negatives.count);
    visitor.value({.key = "scale_factor", .range = above_at_most(1, 4)}, &negatives.scale_factor);
    visitor.value({.key = "max_face_iou", .range = from_to(0, 1)}, &negatives.max_face_iou);
    visitor.value({.key = "portraits"}, &negatives.portraits);
    visitor.value({.key = "portraits_cleaned_by", .is_path = true}, &negatives.portraits_cleaned_by);
}

void describe(FieldVisitor& visitor, TrainConfig& config) {
    visitor.value({.key = "name"}, &config.name);
    visitor.objects("strips", list_of(config.strips));
    visitor.value({.key = "datasets",
                   .flag = {.name = "--positives",
                            .type = "DATASET...",
                            .group = data_group,
                            .help = "Datasets of faces with eye coordinates, instead of the configured ones"},
                   .is_path = true},
                  &config.datasets);
    visitor.value({.key = "backgrounds",
                   .flag = {.name = "--backgrounds",
                            .type = "DATASET...",
                            .group = data_group,
                            .help = "Datasets without faces, instead of the configured ones"},
                   .is_path = true},
                  &config.backgrounds);
    visitor.value({.key = "window_over_face", .range = inside(0.5, 3)}, &config.window_over_face);
    visitor.object("jitter", fields_of(config.jitter));
    visitor.object("boosting", fields_of(config.boosting));
    visitor.object("cascade", fields_of(config.cascade));
    visitor.object("negatives", fields_of(config.negatives));
    visitor.value({.key = "validation_every", .range = at_least(2)}, &config.validation_every);
    visitor.value({.key = "seed",
                   .flag = {.name = "--seed",
                            .type = "N",
                            .group = training_group,
                            .help = "Seed of jitter and mining"}},
                  &config.seed);
}

void validate_train_config(const TrainConfig& config) {
    if (config.strips.empty() && config.datasets.empty()) {
        throw UsageError(
            "there are no faces to train on: name strips of tiles or datasets with eye coordinates");
    }
    if (config.backgrounds.empty() && !(config.negatives.portraits && !config.datasets.empty())) {
        throw UsageError(
            "there are no backgrounds to take negatives from: name folders of images without faces");
    }
    check_config("", config);
}

}  // namespace fovea
