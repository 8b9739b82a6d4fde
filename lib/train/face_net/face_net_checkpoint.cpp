#include "lib/train/face_net/face_net_checkpoint.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/json/json_text.hpp"
#include "lib/train/checkpoint.hpp"

namespace fovea {
namespace {

constexpr int checkpoint_version = 1;

/// Arrays of a state, with the keys that they have.
template <class State, class Visit>
void visit_arrays(State& state, const Visit& visit) {
    visit("parameters", state.parameters);
    visit("statistics", state.statistics);
    visit("averaged", state.averaged);
    visit("momentum", state.momentum);
    visit("spread", state.spread);
}

FaceNetProgress progress_from_json(const Json& json) {
    FaceNetProgress progress;
    json.at("step").get_to(progress.step);
    json.at("odds_loss").get_to(progress.odds_loss);
    json.at("box_loss").get_to(progress.box_loss);
    json.at("faces").get_to(progress.faces);
    return progress;
}

}  // namespace

Json settings_without_paths(const FaceNetTrainConfig& config) {
    Json json = face_net_config_to_json(config);
    for (Json& photographs : json["photographs"]) photographs.erase("dataset");
    // The training does not depend on them.
    json.erase("kept");
    return json;
}

Json face_net_progress_to_json(const FaceNetProgress& progress) {
    return {{"step", progress.step},
            {"odds_loss", progress.odds_loss},
            {"box_loss", progress.box_loss},
            {"faces", progress.faces}};
}

void write_face_net_checkpoint(const std::filesystem::path& file, const FaceNetTrainConfig& config,
                               const Json& data, const FaceNetCheckpoint& checkpoint) {
    Json json = {{"fovea_face_net_checkpoint", checkpoint_version},
                 {"settings", settings_without_paths(config)},
                 {"data", data},
                 {"step", checkpoint.state.step},
                 {"losses", Json::array()}};
    for (const FaceNetProgress& progress : checkpoint.losses)
        json["losses"].push_back(face_net_progress_to_json(progress));
    visit_arrays(checkpoint.state,
                 [&](const char* key, const std::vector<float>& values) { json[key] = values; });
    write_checkpoint(file, json.dump() + "\n");
}

FaceNetCheckpoint read_face_net_checkpoint(const std::filesystem::path& file,
                                           const FaceNetTrainConfig& config, const Json& data) {
    const std::string text = read_checkpoint(file);
    FaceNetCheckpoint checkpoint;
    try {
        const Json json = parse_json(text);
        if (json.at("fovea_face_net_checkpoint") != checkpoint_version)
            throw UsageError(file.string() + " was written by another version; remove it to begin anew.");
        require_same_training(file, json, settings_without_paths(config), data);
        json.at("step").get_to(checkpoint.state.step);
        for (const Json& progress : json.at("losses"))
            checkpoint.losses.push_back(progress_from_json(progress));
        const std::size_t count = json.at("parameters").size();
        visit_arrays(checkpoint.state, [&](const char* key, std::vector<float>& values) {
            json.at(key).get_to(values);
            const bool is_sound =
                (std::string(key) == "statistics" || values.size() == count) &&
                std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
            if (!is_sound)
                throw Error(file.string() + " is damaged: '" + key + "'; remove it to begin anew.");
        });
    } catch (const Json::exception&) {
        throw UsageError(file.string() + " is no checkpoint of a network; name another file.");
    }
    return checkpoint;
}

}  // namespace fovea
