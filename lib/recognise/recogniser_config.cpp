#include "lib/recognise/recogniser_config.hpp"

#include <algorithm>
#include <cctype>
#include <initializer_list>

#include "kernels/face_crop/face_crop.hpp"
#include "lib/core/error.hpp"
#include "lib/files/find_model.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/model_file.hpp"
#include "lib/files/sha256.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/json_text.hpp"
#include "lib/json/names.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

constexpr NameTable<FaceAlignment, 4> alignments{{"eyes", "landmarks", "dlib", "arcface"}, "is no alignment"};

JsonValue point_value(CropPoint& point) {
    return number_list({&point.x, &point.y}, "a list of 2 numbers");
}

// All that decides a face's features. \param folder see recogniser_config_from_json.
void describe_features(FieldVisitor& visitor, RecogniserConfig& config, const fs::path& folder) {
    visitor.object("face", [&](FieldVisitor& face) {
        CropGeometry& geometry = config.geometry;
        face.value({.key = "width"}, &geometry.size.width);
        face.value({.key = "height"}, &geometry.size.height);
        face.value({.key = "left_eye"}, point_value(geometry.eyes.left));
        face.value({.key = "right_eye"}, point_value(geometry.eyes.right));
        face.value({.key = "align"}, named(config.alignment, alignments));
        face.demand("", [&] { check_crop_geometry(geometry); });
    });
    visitor.object("normalisation", [&](FieldVisitor& members) {
        FaceNormalisation& normalisation = config.normalisation;
        FaceEllipse& ellipse = normalisation.ellipse;
        members.value({.key = "mask"}, &normalisation.mask);
        members.value({.key = "ellipse"},
                      number_list({&ellipse.x, &ellipse.y, &ellipse.a, &ellipse.b}, "a list of 4 numbers"));
        members.value({.key = "equalise"}, &normalisation.equalise);
        members.value({.key = "standardise"}, &normalisation.standardise);
        members.demand("", [&] { check_face_normalisation(normalisation, config.geometry.size); });
    });
    config.kind->describe_features(visitor, config, folder);
}

// All that decides the distance of two faces.
void describe_distance(FieldVisitor& visitor, RecogniserConfig& config, const fs::path& folder) {
    describe_features(visitor, config, folder);
    config.kind->describe_distance(visitor, config, folder);
}

void describe_thresholds(FieldVisitor& visitor, RecogniserConfig& config) {
    std::string fingerprint = config.thresholds.empty() ? "" : distance_fingerprint(config);
    visitor.value({.key = "fingerprint", .presence = Presence::always}, &fingerprint);
    visitor.demand("", [&] {
        if (fingerprint == distance_fingerprint(config)) return;
        throw UsageError(
            "they were measured with other features, another distance or other weights; measure them again "
            "with 'fovea train thresholds', or remove them");
    });
    describe(visitor, config.thresholds);
}

void describe_recogniser(FieldVisitor& visitor, RecogniserConfig& config, const fs::path& folder) {
    describe_format(visitor, "fovea-recogniser", 1);
    visitor.value({.key = "name"}, &config.name);
    // It becomes part of file names.
    const bool plain = std::all_of(config.name.begin(), config.name.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
    });
    visitor.rule("name", plain && !config.name.empty() && config.name.front() != '.',
                 "a name of letters, digits, '-', '_' and '.', not beginning with '.'");
    describe_distance(visitor, config, folder);
    visitor.object(
        "thresholds", [&](FieldVisitor& members) { describe_thresholds(members, config); },
        config.thresholds.empty() ? Presence::left_out : Presence::optional);
}

// Nothing that is written needs the folder.
std::string fingerprint_of(RecogniserConfig config,
                           void (*describe)(FieldVisitor&, RecogniserConfig&, const fs::path&)) {
    return sha256_of(write_fields([&](FieldVisitor& visitor) { describe(visitor, config, {}); }).dump());
}

std::vector<ModelPlace> recogniser_places() {
    std::vector<ModelPlace> places;
    for (const fs::path& folder : model_folders()) places.push_back({folder / "recognisers", {".json"}});
    return places;
}

}  // namespace

std::string to_string(FaceAlignment alignment) {
    return alignments.name_of(alignment);
}

RecogniserConfig recogniser_config_from_json(const Json& json, const fs::path& folder) {
    RecogniserConfig config;
    config.kind = &recogniser_kind_of(json);
    config.normalisation = config.kind->normalisation;
    const JsonPlace place(json);
    const auto describe = [&](FieldVisitor& visitor) { describe_recogniser(visitor, config, folder); };
    read_fields(place, describe);
    check_fields(place, describe);
    place[config.kind->key].checked([&] { return config.kind->metric(config); });
    return config;
}

Json recogniser_config_to_json(const RecogniserConfig& config) {
    RecogniserConfig written = config;
    return write_fields([&](FieldVisitor& visitor) { describe_recogniser(visitor, written, {}); });
}

std::string feature_fingerprint(const RecogniserConfig& config) {
    return fingerprint_of(config, describe_features);
}

std::string distance_fingerprint(const RecogniserConfig& config) {
    return fingerprint_of(config, describe_distance);
}

namespace {

/// \param without members of the file that are passed over.
RecogniserConfig load(const std::string& file_or_name, std::initializer_list<const char*> without) {
    const fs::path file = find_recogniser(file_or_name);
    Json json = parse_json_file(file.string(), read_model_file(file, "recogniser"),
                                "name a recogniser's file, or one that ships with the program");
    if (json.is_object()) {
        for (const char* key : without) json.erase(key);
    }
    try {
        return recogniser_config_from_json(json, file.parent_path());
    } catch (const UsageError& error) {
        throw UsageError(file.string() + ": " + error.what());
    }
}

}  // namespace

RecogniserConfig load_recogniser(const std::string& file_or_name) {
    return load(file_or_name, {});
}

RecogniserConfig load_unweighted_recogniser(const std::string& file_or_name) {
    // Thresholds are those of the weights.
    return load(file_or_name, {"weights", "thresholds"});
}

RecogniserConfig load_measured_recogniser(const std::string& file_or_name) {
    return load(file_or_name, {"thresholds"});
}

fs::path find_recogniser(const std::string& file_or_name) {
    return find_by_name(recogniser_places(), file_or_name, "recogniser");
}

std::vector<std::string> known_recognisers() {
    return model_names(recogniser_places());
}

FarThresholds known_thresholds(const RecogniserConfig& config) {
    if (!config.thresholds.empty()) return config.thresholds;
    for (const fs::path& folder : model_folders()) {
        const fs::path file = folder / "recognisers" / (config.name + ".json");
        if (!is_file(file)) continue;
        const RecogniserConfig shipped = load_recogniser(file.string());
        if (distance_fingerprint(shipped) == distance_fingerprint(config)) return shipped.thresholds;
    }
    return {};
}

}  // namespace fovea
