#include "lib/train/landmarks/landmark_config.hpp"

#include <cmath>

#include "lib/config/config.hpp"
#include "lib/json/json.hpp"
#include "lib/train/config_fields.hpp"

namespace fovea {

LandmarkTrainConfig landmark_train_config_from_json(const Json& json) {
    LandmarkTrainConfig config;
    JsonFields fields(json, "");
    fields.read("name", config.name);
    fields.read("datasets", config.datasets);
    read_object(fields, "boxes", [&](JsonFields& f) {
        f.read("detectors", config.boxes.detectors);
        f.read("tight_share", config.boxes.tight_share);
        f.read("widening", config.boxes.widening);
        f.read("margin", config.boxes.margin);
    });
    read_object(fields, "copies", [&](JsonFields& f) {
        f.read("count", config.copies.count);
        f.read("mirrored", config.copies.mirrored);
        f.read("rotation_deg", config.copies.rotation_deg);
    });
    read_object(fields, "pixels", [&](JsonFields& f) {
        f.read("count", config.pixels.count);
        f.read("padding", config.pixels.padding);
        f.read("prior", config.pixels.prior);
    });
    read_object(fields, "trees", [&](JsonFields& f) {
        f.read("cascades", config.trees.cascades);
        f.read("trees", config.trees.trees);
        f.read("depth", config.trees.depth);
        f.read("shrinkage", config.trees.shrinkage);
        f.read("sample_share", config.trees.sample_share);
        f.read("tests", config.trees.tests);
    });
    fields.read("subpixels", config.subpixels);
    fields.read("holdout", config.holdout);
    std::size_t seed = config.seed;
    fields.read("seed", seed);
    config.seed = seed;
    fields.finish();
    return config;
}

Json landmark_train_config_to_json(const LandmarkTrainConfig& config) {
    return {{"name", config.name},
            {"datasets", config.datasets},
            {"boxes",
             {{"detectors", config.boxes.detectors},
              {"tight_share", config.boxes.tight_share},
              {"widening", config.boxes.widening},
              {"margin", config.boxes.margin}}},
            {"copies",
             {{"count", config.copies.count},
              {"mirrored", config.copies.mirrored},
              {"rotation_deg", config.copies.rotation_deg}}},
            {"pixels",
             {{"count", config.pixels.count},
              {"padding", config.pixels.padding},
              {"prior", config.pixels.prior}}},
            {"trees",
             {{"cascades", config.trees.cascades},
              {"trees", config.trees.trees},
              {"depth", config.trees.depth},
              {"shrinkage", config.trees.shrinkage},
              {"sample_share", config.trees.sample_share},
              {"tests", config.trees.tests}}},
            {"subpixels", config.subpixels},
            {"holdout", config.holdout},
            {"seed", config.seed}};
}

LandmarkTrainConfig load_landmark_train_config(const std::filesystem::path& file) {
    return parse_config_file(file, [](const Json& json) {
        LandmarkTrainConfig config = landmark_train_config_from_json(json);
        for (std::string& dataset : config.datasets) dataset = expand_environment(dataset);
        for (std::string& detector : config.boxes.detectors) detector = expand_environment(detector);
        return config;
    });
}

void validate_landmark_train_config(const LandmarkTrainConfig& config) {
    const auto within = [](double value, double least, double most) {
        return value >= least && value <= most;
    };
    if (config.datasets.empty()) {
        throw UsageError("there are no faces to train on: name datasets with landmarks, e.g. pts:DIR");
    }
    const LandmarkBoxSettings& boxes = config.boxes;
    check(within(boxes.tight_share, 0, 1), "boxes.tight_share", "0 to 1");
    check(!boxes.detectors.empty() || boxes.tight_share == 1, "boxes.tight_share",
          "1 if there are no detectors, whose errors the other copies would have");
    check(within(boxes.widening, 0, 10), "boxes.widening", "0 to 10");
    check(within(boxes.margin, 0, 2), "boxes.margin", "0 to 2");
    check(config.copies.count >= 1 && config.copies.count <= 1000, "copies.count", "1 to 1000");
    check(within(config.copies.rotation_deg, 0, 180), "copies.rotation_deg", "0 to 180");
    check(config.pixels.count >= 2 && config.pixels.count <= 4096, "pixels.count", "2 to 4096");
    check(within(config.pixels.padding, -0.4, 2), "pixels.padding", "-0.4 to 2");
    check(config.pixels.prior > 0 && std::isfinite(config.pixels.prior), "pixels.prior", "above 0");
    const LandmarkTreeSettings& trees = config.trees;
    check(trees.cascades >= 1 && trees.cascades <= 1000, "trees.cascades", "1 to 1000");
    check(trees.trees >= 1 && trees.trees <= 100'000, "trees.trees", "1 to 100000");
    check(trees.depth >= 1 && trees.depth <= 10, "trees.depth", "1 to 10");
    check(trees.shrinkage > 0 && trees.shrinkage <= 1, "trees.shrinkage", "above 0 and at most 1");
    check(within(trees.sample_share, 0.01, 1), "trees.sample_share", "0.01 to 1");
    check(trees.tests >= 1 && trees.tests <= 1000, "trees.tests", "1 to 1000");
    check(config.subpixels >= 1 && config.subpixels <= 256, "subpixels", "1 to 256");
    check(is_share(config.holdout), "holdout", "at least 0 and below 1");
}

}  // namespace fovea
