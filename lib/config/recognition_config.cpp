#include "lib/config/recognition_config.hpp"

#include <cmath>
#include <set>

#include "lib/core/error.hpp"
#include "lib/json/json_fields.hpp"

namespace fovea {
namespace {

std::optional<Eyes> fallback_from_json(const Json& json, const std::string& path) {
    if (json.is_null()) return std::nullopt;
    bool four = json.is_array() && json.size() == 4;
    for (std::size_t i = 0; four && i < 4; ++i) four = json[i].is_number();
    require_field(
        four, path,
        "null or the eyes [left x, left y, right x, right y] in units of the image's width and height");
    return Eyes{{json[0].get<double>(), json[1].get<double>()},
                {json[2].get<double>(), json[3].get<double>()}};
}

PermutationOptions permutations_from_json(const Json& json, const std::string& path, std::string& dataset) {
    PermutationOptions options{0};
    JsonFields fields(json, path);
    fields.read("dataset", dataset);
    fields.read("count", options.permutations);
    fields.read("enrolled", options.enrolled);
    fields.read("folds", options.folds);
    std::size_t seed = options.seed;
    fields.read("seed", seed);
    options.seed = seed;
    fields.finish();
    return options;
}

}  // namespace

RecognitionConfig recognition_config_from_json(const Json& json, const std::string& path) {
    RecognitionConfig config;
    JsonFields fields(json, path);
    fields.read("recognisers", config.recognisers);
    std::string source = to_string(config.finder.source);
    fields.read("faces", source);
    try {
        config.finder.source = face_source_from_string(source);
    } catch (const UsageError& error) {
        throw UsageError("'" + fields.path_of("faces") + "': " + error.what());
    }
    fields.read("detector", config.finder.detector);
    fields.read("landmarks", config.finder.landmarks);
    fields.read("convention", config.finder.convention);
    if (const Json* eyes = fields.find("fallback_eyes")) {
        config.finder.fallback_eyes = fallback_from_json(*eyes, fields.path_of("fallback_eyes"));
    }
    fields.read("pairs", config.pairs);
    fields.read("gallery", config.gallery);
    fields.read("probes", config.probes);
    if (const Json* permutations = fields.find("permutations")) {
        config.permutations =
            permutations_from_json(*permutations, fields.path_of("permutations"), config.permuted);
    }
    fields.finish();
    return config;
}

Json recognition_config_to_json(const RecognitionConfig& config,
                                const std::function<std::string(const std::string&)>& escape) {
    const auto escaped = [&](const std::vector<std::string>& values) {
        Json list = Json::array();
        for (const std::string& value : values) list.push_back(escape(value));
        return list;
    };
    Json eyes;
    if (const auto& given = config.finder.fallback_eyes) {
        eyes = {given->left.x, given->left.y, given->right.x, given->right.y};
    }
    return {{"recognisers", escaped(config.recognisers)},
            {"faces", to_string(config.finder.source)},
            {"detector", escape(config.finder.detector)},
            {"landmarks", escape(config.finder.landmarks)},
            {"convention", config.finder.convention},
            {"fallback_eyes", eyes},
            {"pairs", escape(config.pairs)},
            {"gallery", escape(config.gallery)},
            {"probes", escaped(config.probes)},
            {"permutations",
             {{"dataset", escape(config.permuted)},
              {"count", config.permutations.permutations},
              {"enrolled", config.permutations.enrolled},
              {"folds", config.permutations.folds},
              {"seed", config.permutations.seed}}}};
}

void change_paths(RecognitionConfig& config, const std::string& path,
                  const std::function<void(std::string& value, const std::string& path)>& change) {
    const auto change_all = [&](std::vector<std::string>& values, const std::string& key) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            change(values[i], path + "." + key + "[" + std::to_string(i) + "]");
        }
    };
    change_all(config.recognisers, "recognisers");
    change(config.finder.detector, path + ".detector");
    change(config.finder.landmarks, path + ".landmarks");
    change(config.pairs, path + ".pairs");
    change(config.gallery, path + ".gallery");
    change_all(config.probes, "probes");
    change(config.permuted, path + ".permutations.dataset");
}

void validate_recognition_config(const RecognitionConfig& config, const std::string& path) {
    require_field(std::set<std::string>(config.recognisers.begin(), config.recognisers.end()).size() ==
                      config.recognisers.size(),
                  path + ".recognisers", "a list that names each only once");
    if (const auto& eyes = config.finder.fallback_eyes) {
        const bool finite = std::isfinite(eyes->left.x) && std::isfinite(eyes->left.y) &&
                            std::isfinite(eyes->right.x) && std::isfinite(eyes->right.y);
        require_field(finite && !(eyes->left == eyes->right), path + ".fallback_eyes",
                      "two different places");
    }
    require_field(config.gallery.empty() == config.probes.empty(), path + ".probes",
                  "given together with 'gallery'");
    const PermutationOptions& permutations = config.permutations;
    require_field(permutations.permutations >= 0 && permutations.permutations <= 10000000,
                  path + ".permutations.count", "between 0 (none) and 10000000");
    require_field(permutations.enrolled >= 1 && permutations.enrolled <= 1000000,
                  path + ".permutations.enrolled", "between 1 and 1000000");
    require_field(permutations.folds == 0 || (permutations.folds >= 2 && permutations.folds <= 1000000),
                  path + ".permutations.folds", "0 (none), or between 2 and 1000000");
    require_field(permutations.folds == 0 || permutations.enrolled == 1, path + ".permutations.enrolled",
                  "left out where 'folds' are given");
    if (permutations.permutations == 0) return;
    const bool of_gallery = config.probes.size() == 1 && config.probes[0] == config.gallery;
    require_field(!config.permuted.empty() || of_gallery, path + ".permutations.dataset",
                  "given, unless the gallery is searched with itself");
    require_field(!config.gallery.empty(), path + ".gallery", "given where 'permutations' are wanted");
}

}  // namespace fovea
