#include "lib/recognise/region_weights.hpp"

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/files/model_file.hpp"
#include "lib/files/sha256.hpp"
#include "lib/json/json_fields.hpp"
#include "lib/json/json_text.hpp"

namespace fovea {
namespace {

constexpr const char* weights_format = "fovea-region-weights";
constexpr int weights_version = 1;

FoldWeights fold_weights_of(const Json& json, const std::string& path) {
    FoldWeights folds;
    JsonFields fields(json, path);
    fields.read("threshold", folds.threshold);
    const Json* weights = fields.find("weights");
    require_field(weights != nullptr && weights->is_array(), fields.path_of("weights"),
                  "a list of lists of numbers");
    for (std::size_t i = 0; i < weights->size(); ++i) {
        const Json member{{"weights", (*weights)[i]}};
        JsonFields fold(member, fields.path_of("weights[" + std::to_string(i) + "]"));
        fold.read("weights", folds.weights.emplace_back());
    }
    const Json* subjects = fields.find("subjects");
    require_field(subjects != nullptr && subjects->is_array() && subjects->size() == weights->size(),
                  fields.path_of("subjects"), "a list of the subjects of every fold");
    for (std::size_t i = 0; i < subjects->size(); ++i) {
        const Json member{{"subjects", (*subjects)[i]}};
        JsonFields fold(member, fields.path_of("subjects[" + std::to_string(i) + "]"));
        fold.read("subjects", folds.subjects.emplace_back());
    }
    fields.finish();
    return folds;
}

}  // namespace

std::string subject_key(const std::string& subject) {
    constexpr std::size_t digits = 12;
    return sha256_of(subject).substr(0, digits);
}

RegionWeights read_region_weights(const std::filesystem::path& file) {
    const std::string text = read_model_file(file, "file of region weights");
    try {
        const Json json = parse_json(text);
        RegionWeights weights;
        JsonFields fields(json, "");
        std::string format;
        int version = 0;
        fields.read("format", format);
        fields.read("version", version);
        require_field(format == weights_format, "format", std::string("\"") + weights_format + "\"");
        require_field(version == weights_version, "version", std::to_string(weights_version));
        fields.read("fingerprint", weights.fingerprint);
        fields.read("origin", weights.origin);
        fields.read("weights", weights.weights);
        if (const Json* folds = fields.find("folds")) weights.folds = fold_weights_of(*folds, "folds");
        fields.finish();
        return weights;
    } catch (const Json::parse_error& error) {
        throw Error(file.string() + ":" + std::to_string(line_at(text, error.byte)) +
                    ": the region weights are not JSON: " + error.what());
    } catch (const UsageError& error) {
        throw Error(file.string() + ": " + error.what());
    }
}

Json region_weights_to_json(const RegionWeights& weights) {
    Json json{{"format", weights_format},
              {"version", weights_version},
              {"fingerprint", weights.fingerprint},
              {"origin", weights.origin},
              {"weights", weights.weights}};
    if (!weights.folds.empty()) {
        json["folds"] = {{"threshold", weights.folds.threshold},
                         {"weights", weights.folds.weights},
                         {"subjects", weights.folds.subjects}};
    }
    return json;
}

}  // namespace fovea
