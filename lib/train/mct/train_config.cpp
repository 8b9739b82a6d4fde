#include "lib/train/mct/train_config.hpp"

#include <cmath>

#include "lib/config/config.hpp"
#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/json/json_fields.hpp"
#include "lib/train/config_fields.hpp"

namespace fovea {
namespace {

const Json* list_of(JsonFields& fields, const std::string& key) {
    const Json* list = fields.find(key);
    if (list != nullptr && !list->is_array()) {
        throw UsageError("'" + fields.path_of(key) + "' must be a list, but is " + describe_json(*list));
    }
    return list;
}

void read_strips(JsonFields& fields, std::vector<TileStrip>& strips) {
    const Json* list = list_of(fields, "strips");
    if (list == nullptr) return;
    strips.clear();
    for (std::size_t i = 0; i < list->size(); ++i) {
        JsonFields one((*list)[i], fields.path_of("strips") + "[" + std::to_string(i) + "]");
        TileStrip strip;
        one.read("path", strip.path);
        one.read("tile", strip.tile);
        one.read("x", strip.x);
        one.read("y", strip.y);
        one.read("side", strip.side);
        one.finish();
        strips.push_back(strip);
    }
}

void read_losses(JsonFields& fields, std::vector<LossPoint>& losses) {
    const Json* list = list_of(fields, "losses");
    if (list == nullptr) return;
    losses.clear();
    for (const Json& point : *list) {
        if (!point.is_array() || point.size() != 2 || !point[0].is_number_integer() ||
            !point[1].is_number()) {
            throw UsageError("'" + fields.path_of("losses") +
                             "' must be a list of pairs of look-ups and a share, e.g. [40, 0.005]");
        }
        losses.push_back({point[0].get<int>(), point[1].get<double>()});
    }
}

void read_positions(JsonFields& fields, std::vector<int>& positions) {
    const Json* list = list_of(fields, "stage_positions");
    if (list == nullptr) return;
    positions.clear();
    for (std::size_t i = 0; i < list->size(); ++i) {
        positions.push_back(json_to_int((*list)[i], fields.path_of("stage_positions")));
    }
}

std::vector<LossPoint> default_losses() {
    return {{5, .001},   {10, .002},  {20, .003}, {40, .005}, {80, .008},
            {160, .012}, {280, .016}, {400, .02}, {520, .025}};
}

}  // namespace

TrainConfig train_config_from_json(const Json& json) {
    TrainConfig config;
    config.cascade.losses = default_losses();
    JsonFields fields(json, "");
    fields.read("name", config.name);
    read_strips(fields, config.strips);
    fields.read("datasets", config.datasets);
    fields.read("backgrounds", config.backgrounds);
    fields.read("window_over_face", config.window_over_face);
    read_object(fields, "jitter", [&](JsonFields& f) {
        f.read("copies", config.jitter.copies);
        f.read("shift", config.jitter.shift);
        f.read("scale", config.jitter.scale);
        f.read("rotation_deg", config.jitter.rotation_deg);
        f.read("noise", config.jitter.noise);
        f.read("blur", config.jitter.blur);
    });
    read_object(fields, "boosting", [&](JsonFields& f) {
        f.read("smoothing", config.boosting.smoothing);
        f.read("weight_unit", config.boosting.weight_unit);
        f.read("shrinkage", config.boosting.shrinkage);
    });
    read_object(fields, "cascade", [&](JsonFields& f) {
        std::string kind = config.cascade.kind == CascadeKind::soft ? "soft" : "staged";
        f.read("kind", kind);
        if (kind != "soft" && kind != "staged") {
            throw UsageError("'cascade.kind' must be \"soft\" or \"staged\", but is \"" + excerpt(kind) +
                             "\"");
        }
        config.cascade.kind = kind == "soft" ? CascadeKind::soft : CascadeKind::staged;
        f.read("coarse_lookups", config.cascade.coarse_lookups);
        f.read("coarse_loss", config.cascade.coarse_loss);
        f.read("lookups", config.cascade.lookups);
        read_losses(f, config.cascade.losses);
        read_positions(f, config.cascade.stage_positions);
        f.read("stage_loss", config.cascade.stage_loss);
    });
    read_object(fields, "negatives", [&](JsonFields& f) {
        f.read("count", config.negatives.count);
        f.read("scale_factor", config.negatives.scale_factor);
        f.read("max_face_iou", config.negatives.max_face_iou);
        f.read("portraits", config.negatives.portraits);
        f.read("portraits_cleaned_by", config.negatives.portraits_cleaned_by);
    });
    fields.read("validation_every", config.validation_every);
    std::size_t seed = config.seed;
    fields.read("seed", seed);
    config.seed = seed;
    fields.finish();
    return config;
}

Json train_config_to_json(const TrainConfig& config) {
    Json strips = Json::array();
    for (const TileStrip& strip : config.strips) {
        strips.push_back({{"path", strip.path},
                          {"tile", strip.tile},
                          {"x", strip.x},
                          {"y", strip.y},
                          {"side", strip.side}});
    }
    Json losses = Json::array();
    for (const LossPoint& point : config.cascade.losses) losses.push_back({point.lookups, point.loss});
    const CascadeSettings& cascade = config.cascade;
    return {{"name", config.name},
            {"strips", strips},
            {"datasets", config.datasets},
            {"backgrounds", config.backgrounds},
            {"window_over_face", config.window_over_face},
            {"jitter",
             {{"copies", config.jitter.copies},
              {"shift", config.jitter.shift},
              {"scale", config.jitter.scale},
              {"rotation_deg", config.jitter.rotation_deg},
              {"noise", config.jitter.noise},
              {"blur", config.jitter.blur}}},
            {"boosting",
             {{"smoothing", config.boosting.smoothing},
              {"weight_unit", config.boosting.weight_unit},
              {"shrinkage", config.boosting.shrinkage}}},
            {"cascade",
             {{"kind", cascade.kind == CascadeKind::soft ? "soft" : "staged"},
              {"coarse_lookups", cascade.coarse_lookups},
              {"coarse_loss", cascade.coarse_loss},
              {"lookups", cascade.lookups},
              {"losses", losses},
              {"stage_positions", cascade.stage_positions},
              {"stage_loss", cascade.stage_loss}}},
            {"negatives",
             {{"count", config.negatives.count},
              {"scale_factor", config.negatives.scale_factor},
              {"max_face_iou", config.negatives.max_face_iou},
              {"portraits", config.negatives.portraits},
              {"portraits_cleaned_by", config.negatives.portraits_cleaned_by}}},
            {"validation_every", config.validation_every},
            {"seed", config.seed}};
}

TrainConfig load_train_config(const std::filesystem::path& file) {
    return parse_config_file(file, [](const Json& json) {
        TrainConfig config = train_config_from_json(json);
        for (TileStrip& strip : config.strips) strip.path = expand_environment(strip.path);
        for (std::string& dataset : config.datasets) dataset = expand_environment(dataset);
        for (std::string& background : config.backgrounds) background = expand_environment(background);
        config.negatives.portraits_cleaned_by = expand_environment(config.negatives.portraits_cleaned_by);
        return config;
    });
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
    for (const TileStrip& strip : config.strips) {
        check(!strip.path.empty(), "strips[].path", "a file");
        check(strip.tile >= 8 && strip.tile <= 4096, "strips[].tile", "8 to 4096 pixels");
        check(strip.side > 0 && std::isfinite(strip.side), "strips[].side", "above 0");
    }
    check(config.window_over_face > 0.5 && config.window_over_face < 3, "window_over_face",
          "between 0.5 and 3");
    check(config.jitter.copies >= 1 && config.jitter.copies <= 100, "jitter.copies", "1 to 100");
    check(is_share(config.jitter.shift), "jitter.shift", "at least 0 and below 1");
    check(is_share(config.jitter.scale), "jitter.scale", "at least 0 and below 1");
    check(config.jitter.rotation_deg >= 0 && config.jitter.rotation_deg <= 180, "jitter.rotation_deg",
          "0 to 180");
    check(config.jitter.noise >= 0 && config.jitter.noise <= 100, "jitter.noise", "0 to 100");
    check(config.jitter.blur >= 0 && config.jitter.blur <= 1, "jitter.blur", "0 to 1");
    check(config.boosting.smoothing > 0 && config.boosting.smoothing < 1, "boosting.smoothing",
          "between 0 and 1");
    check(config.boosting.weight_unit >= 1 && config.boosting.weight_unit <= 127, "boosting.weight_unit",
          "1 to 127");
    check(config.boosting.shrinkage > 0 && config.boosting.shrinkage <= 1, "boosting.shrinkage",
          "above 0 and at most 1");
    const CascadeSettings& cascade = config.cascade;
    check(cascade.coarse_lookups >= 0 && cascade.coarse_lookups <= mct_max_coarse_lookups,
          "cascade.coarse_lookups", "0 to " + std::to_string(mct_max_coarse_lookups));
    check(cascade.lookups >= std::max(1, cascade.coarse_lookups) && cascade.lookups <= mct_max_lookups,
          "cascade.lookups",
          "at least 1 and the coarse ones, and at most " + std::to_string(mct_max_lookups));
    check(is_share(cascade.coarse_loss), "cascade.coarse_loss", "at least 0 and below 1");
    check(is_share(cascade.stage_loss), "cascade.stage_loss", "at least 0 and below 1");
    for (std::size_t i = 0; i < cascade.losses.size(); ++i) {
        check(cascade.losses[i].lookups > (i > 0 ? cascade.losses[i - 1].lookups : 0) &&
                  is_share(cascade.losses[i].loss),
              "cascade.losses", "pairs of rising look-ups and shares below 1");
    }
    int positions = 0;
    for (const int allowed : cascade.stage_positions) {
        check(allowed >= 1, "cascade.stage_positions", "a list of numbers above 0");
        positions += std::min(allowed, 484);
    }
    check(!cascade.stage_positions.empty() && positions <= mct_max_lookups, "cascade.stage_positions",
          "at least one stage and at most " + std::to_string(mct_max_lookups) + " positions in all");
    check(config.negatives.count >= 100, "negatives.count", "at least 100");
    check(config.negatives.scale_factor > 1 && config.negatives.scale_factor <= 4, "negatives.scale_factor",
          "above 1 and at most 4");
    check(config.negatives.max_face_iou >= 0 && config.negatives.max_face_iou <= 1, "negatives.max_face_iou",
          "0 to 1");
    check(config.validation_every >= 2, "validation_every", "at least 2");
}

}  // namespace fovea
