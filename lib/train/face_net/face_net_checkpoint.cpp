#include "lib/train/face_net/face_net_checkpoint.hpp"

#include <string>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/json/field_json.hpp"
#include "lib/train/checkpoint.hpp"

namespace fovea {
namespace {

// All that a checkpoint holds.
void describe_checkpoint(FieldVisitor& visitor, const std::filesystem::path& file, const Json& settings,
                         const Json& data, FaceNetState& state) {
    int version = 1;
    visitor.value({.key = "fovea_face_net_checkpoint"}, integer_value(version, version, version));
    describe_training(visitor, file, settings, data);
    visitor.value({.key = "step"}, &state.step);
    visitor.objects("losses", list_of(state.losses));
    visitor.value({.key = "parameters"}, reals_value(state.parameters));
    visitor.value({.key = "statistics"}, reals_value(state.statistics));
    for (const auto& [key, values] :
         {std::pair{"averaged", &state.averaged}, std::pair{"momentum", &state.momentum},
          std::pair{"spread", &state.spread}}) {
        visitor.value({.key = key}, reals_value(*values));
        visitor.demand(key, [&state, list = values] {
            if (list->size() != state.parameters.size())
                throw UsageError("it must have as many numbers as 'parameters'; the file is damaged");
        });
    }
}

}  // namespace

Json settings_without_paths(const FaceNetTrainConfig& config) {
    Json json = json_of(config);
    for (Json& photographs : json["photographs"]) photographs.erase("dataset");
    // The training does not depend on them.
    json.erase("kept");
    return json;
}

void write_face_net_checkpoint(const std::filesystem::path& file, const FaceNetTrainConfig& config,
                               const Json& data, const FaceNetState& state) {
    FaceNetState written = state;
    const Json settings = settings_without_paths(config);
    const Json json = write_fields(
        [&](FieldVisitor& visitor) { describe_checkpoint(visitor, file, settings, data, written); });
    write_checkpoint(file, json.dump() + "\n");
}

FaceNetState read_face_net_checkpoint(const std::filesystem::path& file, const FaceNetTrainConfig& config,
                                      const Json& data) {
    FaceNetState state;
    const Json settings = settings_without_paths(config);
    read_state(file, read_checkpoint(file),
               [&](FieldVisitor& visitor) { describe_checkpoint(visitor, file, settings, data, state); });
    return state;
}

}  // namespace fovea
