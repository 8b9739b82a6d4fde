#include "lib/detect/face_net_model.hpp"

#include <vector>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/detect/model_json.hpp"
#include "lib/files/file.hpp"
#include "lib/files/model_file.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/json_text.hpp"

namespace fovea {
namespace {

constexpr const char* net_format = "fovea-face-net";
constexpr int net_format_version = 1;

void require_valid(const FaceNetModel& model, const std::filesystem::path& file) {
    if (model.name.empty()) throw Error(file.string() + ": /name: must not be empty");
    if (const auto fault = find_fault(model.net)) {
        throw Error(file.string() + ": " + fault->pointer + ": " + fault->rule);
    }
}

void require_list(const JsonPlace& place, std::size_t size, const char* of) {
    if (place.array_size() != size) place.fail("a list of " + std::to_string(size) + " " + of);
}

int channels_at(const JsonPlace& place) {
    const auto channels = static_cast<int>(place.integer(1, face_net_max_channels));
    if (channels % 16 != 0) place.fail("a multiple of 16 up to " + std::to_string(face_net_max_channels));
    return channels;
}

float scale_at(const JsonPlace& place) {
    const double scale = place.number();
    // Larger numbers have no float.
    if (!(scale >= double{face_net_min_scale} && scale <= double{face_net_max_scale}))
        place.fail("a number from 2^-60 to 64");
    return static_cast<float>(scale);
}

FaceNetLayer layer_at(const JsonPlace& place, std::size_t outputs, std::size_t taps) {
    place.require_keys({"weights", "bias", "scale"}, {});
    FaceNetLayer layer;
    for (const std::int64_t weight : place["weights"].integers(outputs * taps, -128, 127))
        layer.weights.push_back(static_cast<std::int8_t>(weight));
    constexpr std::int64_t most = face_net_sum_limit;
    for (const std::int64_t bias : place["bias"].integers(outputs, -most, most))
        layer.bias.push_back(static_cast<std::int32_t>(bias));
    require_list(place["scale"], outputs, "numbers");
    layer.scale = place["scale"].list_of(scale_at);
    return layer;
}

void require_units(const JsonPlace& place, std::size_t count) {
    require_list(place, count, "units");
    for (std::size_t i = 0; i < count; ++i) place[i].require_keys({"pointwise", "depthwise"}, {});
}

// The value at a pointer whose names are keys of objects or numbers of items.
JsonPlace place_at(JsonPlace place, const std::string& pointer) {
    const std::size_t next = pointer.find('/', 1);
    const std::string name = pointer.substr(1, next == std::string::npos ? next : next - 1);
    JsonPlace inner =
        place.json().is_array() ? place[static_cast<std::size_t>(std::stoul(name))] : place[name];
    return next == std::string::npos ? inner : place_at(inner, pointer.substr(next));
}

// The shapes of the layers follow from the numbers of channels.
void read_layers(const JsonPlace& place, FaceNet& net) {
    require_units(place["backbone"], net.backbone.size());
    require_units(place["neck"], net.neck.size());
    require_list(place["heads"], net.heads.size(), "heads");
    for (std::size_t i = 0; i < net.heads.size(); ++i) require_units(place["heads"][i], net.heads[i].size());
    visit_face_net_layers(net, [&](const FaceNetLayerPlace& at, FaceNetLayer& layer) {
        layer = layer_at(place_at(place, at.pointer), static_cast<std::size_t>(at.outputs),
                         static_cast<std::size_t>(at.taps()));
    });
    require_list(place["sums"], net.sums.size(), "sums");
    for (std::size_t i = 0; i < net.sums.size(); ++i) {
        const JsonPlace sum = place["sums"][i];
        sum.require_keys({"fine_scale", "coarse_scale"}, {});
        net.sums[i] = {scale_at(sum["fine_scale"]), scale_at(sum["coarse_scale"])};
    }
}

void describe_score(FieldVisitor& visitor, FaceNetScore& score) {
    visitor.value({.key = "slope", .range = from_to(1e-3, 1e3)}, &score.slope);
    visitor.value({.key = "offset", .range = from_to(-1e3, 1e3)}, &score.offset);
}

FaceNetModel model_from(const JsonPlace& place) {
    require_format(place, net_format, net_format_version);
    place.require_keys({"format", "version", "name", "stem_channels", "quarter_channels", "channels", "stem",
                        "backbone", "neck", "sums", "heads"},
                       {"score", "training"});
    FaceNetModel model;
    model.name = place["name"].text();
    model.net.stem_channels = channels_at(place["stem_channels"]);
    model.net.quarter_channels = channels_at(place["quarter_channels"]);
    model.net.channels = channels_at(place["channels"]);
    read_layers(place, model.net);
    if (const auto score = place.find("score")) {
        const auto describe = [&](FieldVisitor& visitor) { describe_score(visitor, model.score); };
        read_fields(*score, describe, Absent::is_error);
        check_fields(*score, describe);
    }
    if (const auto training = place.find("training")) kept_object(model.training).set(*training);
    return model;
}

template <class Values, class Text>
std::string array_text(const Values& values, const Text& text_of) {
    std::string text = "[";
    for (std::size_t i = 0; i < values.size(); ++i) text += (i > 0 ? "," : "") + text_of(values[i]);
    return text + "]";
}

std::string layer_text(const FaceNetLayer& layer) {
    const auto integer = [](auto value) { return std::to_string(value); };
    return R"({"weights": )" + array_text(layer.weights, integer) + R"(, "bias": )" +
           array_text(layer.bias, integer) + R"(, "scale": )" +
           array_text(layer.scale, [](float scale) { return shortest_number(scale); }) + "}";
}

std::string unit_text(const FaceNetUnit& unit) {
    return "\n    {\"pointwise\": " + layer_text(unit.pointwise) +
           ",\n     \"depthwise\": " + layer_text(unit.depthwise) + "}";
}

// One layer a line, so that files can be compared line by line.
std::string model_text(const FaceNetModel& model) {
    const FaceNet& net = model.net;
    const auto sum_text = [](const FaceNetSum& sum) {
        return R"({"fine_scale": )" + shortest_number(sum.fine_scale) + R"(, "coarse_scale": )" +
               shortest_number(sum.coarse_scale) + "}";
    };
    const auto head_text = [](const auto& units) { return array_text(units, unit_text); };
    return "{\n  \"format\": \"" + std::string(net_format) +
           "\",\n  \"version\": " + std::to_string(net_format_version) +
           ",\n  \"name\": " + compact_text(model.name) +
           ",\n  \"stem_channels\": " + std::to_string(net.stem_channels) +
           ",\n  \"quarter_channels\": " + std::to_string(net.quarter_channels) +
           ",\n  \"channels\": " + std::to_string(net.channels) + ",\n  \"stem\": " + layer_text(net.stem) +
           ",\n  \"backbone\": " + array_text(net.backbone, unit_text) +
           ",\n  \"neck\": " + array_text(net.neck, unit_text) +
           ",\n  \"sums\": " + array_text(net.sums, sum_text) +
           ",\n  \"heads\": " + array_text(net.heads, head_text) +
           ",\n  \"score\": {\"slope\": " + shortest_number(model.score.slope) +
           ", \"offset\": " + shortest_number(model.score.offset) + "}" + training_member(model.training) +
           "\n}\n";
}

}  // namespace

bool is_face_net_model(const std::filesystem::path& file) {
    const std::string text = beginning_of_model(file);
    return begins_as_json(text) && text.find('"' + std::string(net_format) + '"') != std::string::npos;
}

FaceNetModel read_face_net_model(const std::filesystem::path& file) {
    const std::string text = read_model_file(file, "model");
    const Json json =
        parse_json_file(file.string(), text, "the file may be cut off, so fetch or train it again");
    FaceNetModel model = model_from(JsonPlace(json, file.string()));
    require_valid(model, file);
    return model;
}

void write_face_net_model(const FaceNetModel& model, const std::filesystem::path& file) {
    require_valid(model, file);
    replace_file(file, model_text(model));
}

}  // namespace fovea
