#include "lib/recognise/recogniser_config.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <initializer_list>
#include <stdexcept>

#include <spdlog/fmt/fmt.h>

#include "kernels/face_crop/face_crop.hpp"
#include "kernels/histogram_search/histogram_search.hpp"
#include "kernels/lbp/lbp_histograms.hpp"
#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/files/find_model.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/model_file.hpp"
#include "lib/files/sha256.hpp"
#include "lib/json/json_fields.hpp"
#include "lib/json/json_place.hpp"
#include "lib/json/json_text.hpp"
#include "lib/recognise/region_weights.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

constexpr const char* format_name = "fovea-recogniser";
constexpr int format_version = 1;

constexpr std::array distances{
    std::pair{HistogramDistance::chi_square, "chi-square"},
    std::pair{HistogramDistance::intersection, "intersection"},
    std::pair{HistogramDistance::l1, "l1"},
    std::pair{HistogramDistance::l2, "l2"},
    std::pair{HistogramDistance::cosine, "cosine"},
};

constexpr std::array alignments{
    std::pair{FaceAlignment::eyes, "eyes"},
    std::pair{FaceAlignment::landmarks, "landmarks"},
};

// The kernels' checks know nothing of a configuration's keys.
template <class Check>
auto checked(const std::string& path, Check&& check) {
    try {
        return check();
    } catch (const std::invalid_argument& error) {
        throw UsageError("'" + path + "': " + error.what());
    }
}

std::vector<double> numbers(const Json& value, const std::string& path, std::size_t count) {
    const std::string expected = fmt::format("a list of {} numbers", count);
    require_field(value.is_array() && value.size() == count, path,
                  expected + ", but is " + describe_json(value));
    std::vector<double> found;
    for (std::size_t i = 0; i < count; ++i) {
        require_field(value[i].is_number(), fmt::format("{}[{}]", path, i),
                      "a number, but is " + describe_json(value[i]));
        found.push_back(value[i].get<double>());
    }
    return found;
}

std::vector<int> whole_numbers(const Json& value, const std::string& path, std::size_t count) {
    numbers(value, path, count);
    std::vector<int> found;
    for (std::size_t i = 0; i < count; ++i)
        found.push_back(json_to_int(value[i], fmt::format("{}[{}]", path, i)));
    return found;
}

Size size_of(const Json& value, const std::string& path) {
    const std::vector<int> sides = whole_numbers(value, path, 2);
    return {sides[0], sides[1]};
}

CropPoint point_of(const Json& value, const std::string& path) {
    const std::vector<double> place = numbers(value, path, 2);
    return {place[0], place[1]};
}

FaceAlignment alignment_of(const std::string& name, const std::string& path) {
    for (const auto& [value, known] : alignments) {
        if (name == known) return value;
    }
    throw UsageError("'" + path + "' must be eyes or landmarks, but is '" + name + "'");
}

void read_geometry(const Json& json, const std::string& path, RecogniserConfig& config) {
    CropGeometry& geometry = config.geometry;
    JsonFields fields(json, path);
    fields.read("width", geometry.size.width);
    fields.read("height", geometry.size.height);
    if (const Json* eye = fields.find("left_eye")) {
        geometry.eyes.left = point_of(*eye, fields.path_of("left_eye"));
    }
    if (const Json* eye = fields.find("right_eye")) {
        geometry.eyes.right = point_of(*eye, fields.path_of("right_eye"));
    }
    std::string alignment = "eyes";
    fields.read("align", alignment);
    config.alignment = alignment_of(alignment, fields.path_of("align"));
    fields.finish();
    checked(path, [&] { check_crop_geometry(geometry); });
}

FaceNormalisation normalisation_of(const Json& json, const std::string& path, Size face) {
    FaceNormalisation normalisation;
    JsonFields fields(json, path);
    fields.read("mask", normalisation.mask);
    if (const Json* ellipse = fields.find("ellipse")) {
        const std::vector<double> values = numbers(*ellipse, fields.path_of("ellipse"), 4);
        normalisation.ellipse = {values[0], values[1], values[2], values[3]};
    }
    fields.read("equalise", normalisation.equalise);
    fields.read("standardise", normalisation.standardise);
    fields.finish();
    checked(path, [&] { check_face_normalisation(normalisation, face); });
    return normalisation;
}

std::vector<Rect> regions_of(const Json& json, const std::string& path, Size face) {
    JsonFields fields(json, path);
    std::vector<Rect> regions;
    if (const Json* cell = fields.find("cell")) {
        const Size size = size_of(*cell, fields.path_of("cell"));
        regions = checked(path, [&] { return regions_by_cell(face, size); });
    } else if (fields.find("columns") != nullptr || fields.find("rows") != nullptr) {
        int columns = 0, rows = 0;
        fields.read("columns", columns);
        fields.read("rows", rows);
        bool left_half = false;
        fields.read("left_half", left_half);
        regions = checked(path, [&] { return regions_by_count(face, columns, rows); });
        if (left_half) {
            require_field(columns % 2 == 0, fields.path_of("columns"), "even where 'left_half' is true");
            std::erase_if(regions, [&](const Rect& region) { return region.x >= face.width / 2; });
        }
    } else if (const Json* size = fields.find("size")) {
        const Size region = size_of(*size, fields.path_of("size"));
        const Json* stride = fields.find("stride");
        const Size step = stride == nullptr ? region : size_of(*stride, fields.path_of("stride"));
        regions = checked(path, [&] { return regions_by_stride(face, region, step); });
    } else if (const Json* list = fields.find("rectangles")) {
        const std::string of = fields.path_of("rectangles");
        require_field(list->is_array() && !list->empty(), of, "a list of rectangles [x, y, width, height]");
        for (std::size_t i = 0; i < list->size(); ++i) {
            const std::vector<int> sides = whole_numbers((*list)[i], fmt::format("{}[{}]", of, i), 4);
            regions.push_back({sides[0], sides[1], sides[2], sides[3]});
        }
    } else {
        throw UsageError("'" + path +
                         "' must say what the regions are: \"cell\": [width, height], \"columns\" and "
                         "\"rows\", \"size\" and \"stride\", or \"rectangles\"");
    }
    fields.finish();
    return regions;
}

RegionalLbp feature_of(const Json& json, const std::string& path, Size face) {
    RegionalLbp feature;
    JsonFields fields(json, path);
    fields.read("points", feature.lbp.points);
    fields.read("radius", feature.lbp.radius);
    fields.read("uniform", feature.lbp.uniform);
    checked(path, [&] { make_lbp_plan(feature.lbp); });
    const Json* regions = fields.find("regions");
    require_field(regions != nullptr, fields.path_of("regions"), "given");
    feature.regions = regions_of(*regions, fields.path_of("regions"), face);
    fields.finish();
    return feature;
}

std::size_t region_count(const RecogniserConfig& config) {
    std::size_t regions = 0;
    for (const RegionalLbp& feature : config.features) regions += feature.regions.size();
    return regions;
}

void check_weights(const std::vector<double>& weights, const std::string& path, std::size_t regions) {
    require_field(
        weights.size() == regions, path,
        fmt::format("one weight for each of the {} regions, but there are {}", regions, weights.size()));
    constexpr double most = 255;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        require_field(weights[i] >= 0 && weights[i] <= most, fmt::format("{}[{}]", path, i),
                      "between 0 and 255");
    }
}

void read_weights(const Json& json, const std::string& path, const fs::path& folder,
                  RecogniserConfig& config) {
    if (json.is_null()) return;
    if (json.is_string() && json.get<std::string>() == "ahonen") {
        config.weights = ahonen_weights();
    } else if (json.is_string()) {
        const fs::path file = json.get<std::string>();
        RegionWeights found = read_region_weights(file.is_absolute() ? file : folder / file);
        if (found.fingerprint != feature_fingerprint(config)) {
            throw UsageError("'" + path + "': the weights in " + file.string() +
                             " are those of a recogniser with other features; train them for this one with "
                             "'fovea train lbp-weights'");
        }
        config.weights = std::move(found.weights);
        config.fold_weights = std::move(found.folds);
    } else {
        require_field(json.is_array(), path, "null, \"ahonen\", a file or a list of numbers");
        config.weights = numbers(json, path, json.size());
    }
    const std::size_t regions = region_count(config);
    check_weights(config.weights, path, regions);
    for (std::size_t i = 0; i < config.fold_weights.weights.size(); ++i) {
        check_weights(config.fold_weights.weights[i], fmt::format("{}.folds[{}]", path, i), regions);
    }
}

void read_thresholds(const Json& json, const std::string& path, RecogniserConfig& config) {
    Json thresholds = json;
    require_field(json.is_object(), path, "an object, but is " + describe_json(json));
    const std::string measured_with = json.contains("fingerprint") && json["fingerprint"].is_string()
                                          ? json["fingerprint"].get<std::string>()
                                          : std::string();
    require_field(!measured_with.empty(), path + ".fingerprint", "a text");
    if (measured_with != distance_fingerprint(config)) {
        throw UsageError("'" + path +
                         "' were measured with other features, another distance or other weights; measure "
                         "them again with 'fovea train thresholds', or remove them");
    }
    thresholds.erase("fingerprint");
    config.thresholds = far_thresholds_from_json(thresholds, path);
}

std::string name_of(FaceAlignment alignment) {
    for (const auto& [value, name] : alignments) {
        if (value == alignment) return name;
    }
    throw std::logic_error("an alignment has no name");
}

Json feature_json(const RecogniserConfig& config) {
    const auto pair_of = [](const CropPoint& point) { return Json::array({point.x, point.y}); };
    const FaceNormalisation& normalisation = config.normalisation;
    const FaceEllipse& ellipse = normalisation.ellipse;
    Json json{{"face",
               {{"width", config.geometry.size.width},
                {"height", config.geometry.size.height},
                {"left_eye", pair_of(config.geometry.eyes.left)},
                {"right_eye", pair_of(config.geometry.eyes.right)},
                {"align", name_of(config.alignment)}}},
              {"normalisation",
               {{"mask", normalisation.mask},
                {"ellipse", {ellipse.x, ellipse.y, ellipse.a, ellipse.b}},
                {"equalise", normalisation.equalise},
                {"standardise", normalisation.standardise}}},
              {"mirror", config.mirror}};
    Json features = Json::array();
    for (const RegionalLbp& feature : config.features) {
        Json rectangles = Json::array();
        for (const Rect& r : feature.regions) rectangles.push_back({r.x, r.y, r.width, r.height});
        features.push_back({{"points", feature.lbp.points},
                            {"radius", feature.lbp.radius},
                            {"uniform", feature.lbp.uniform},
                            {"regions", {{"rectangles", std::move(rectangles)}}}});
    }
    json["features"] = std::move(features);
    return json;
}

HistogramDistance histogram_distance_from_string(const std::string& name) {
    for (const auto& [value, known] : distances) {
        if (name == known) return value;
    }
    throw UsageError("there is no distance '" + name + "': use chi-square, intersection, l1, l2 or cosine");
}

std::vector<ModelPlace> recogniser_places() {
    std::vector<ModelPlace> places;
    for (const fs::path& folder : model_folders()) places.push_back({folder / "recognisers", {".json"}});
    return places;
}

}  // namespace

std::string to_string(HistogramDistance distance) {
    for (const auto& [value, name] : distances) {
        if (value == distance) return name;
    }
    throw std::logic_error("a distance has no name");
}

RecogniserConfig recogniser_config_from_json(const Json& json, const fs::path& folder) {
    RecogniserConfig config;
    JsonFields fields(json, "");
    std::string format;
    int version = 0;
    fields.read("format", format);
    fields.read("version", version);
    require_field(format == format_name, "format", std::string("\"") + format_name + "\"");
    require_field(
        version == format_version, "version",
        fmt::format("{}, but is {}: written by another version of the program", format_version, version));
    fields.read("name", config.name);
    // It becomes part of file names.
    const bool plain = std::all_of(config.name.begin(), config.name.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
    });
    require_field(plain && !config.name.empty() && config.name.front() != '.', "name",
                  "a name of letters, digits, '-', '_' and '.', not beginning with '.'");
    if (const Json* face = fields.find("face")) read_geometry(*face, "face", config);
    if (const Json* normalisation = fields.find("normalisation")) {
        config.normalisation = normalisation_of(*normalisation, "normalisation", config.geometry.size);
    }
    fields.read("mirror", config.mirror);
    const Json* features = fields.find("features");
    require_field(features != nullptr && features->is_array() && !features->empty(), "features",
                  "a list of at least one feature");
    for (std::size_t i = 0; i < features->size(); ++i) {
        config.features.push_back(
            feature_of((*features)[i], fmt::format("features[{}]", i), config.geometry.size));
    }
    std::string distance = to_string(config.distance);
    fields.read("distance", distance);
    config.distance = histogram_distance_from_string(distance);
    if (const Json* weights = fields.find("weights")) {
        read_weights(*weights, "weights", folder, config);
    }
    if (const Json* thresholds = fields.find("thresholds"))
        read_thresholds(*thresholds, "thresholds", config);
    fields.finish();
    checked("features", [&] { check_histogram_layout(histogram_layout(config)); });
    return config;
}

Json recogniser_config_to_json(const RecogniserConfig& config) {
    Json json{{"format", format_name}, {"version", format_version}, {"name", config.name}};
    json.update(feature_json(config));
    json["distance"] = to_string(config.distance);
    json["weights"] = config.weights.empty() ? Json() : Json(config.weights);
    if (!config.thresholds.empty()) {
        json["thresholds"] = {{"fingerprint", distance_fingerprint(config)}};
        json["thresholds"].update(far_thresholds_to_json(config.thresholds));
    }
    return json;
}

std::string feature_fingerprint(const RecogniserConfig& config) {
    return sha256_of(feature_json(config).dump());
}

std::string distance_fingerprint(const RecogniserConfig& config) {
    Json json = feature_json(config);
    json["distance"] = to_string(config.distance);
    json["weights"] = config.weights.empty() ? Json() : Json(config.weights);
    return sha256_of(json.dump());
}

namespace {

/// \param without members of the file that are passed over.
RecogniserConfig load(const std::string& file_or_name, std::initializer_list<const char*> without) {
    const fs::path file = find_recogniser(file_or_name);
    const std::string text = read_model_file(file, "recogniser");
    try {
        Json json = parse_json(text);
        if (json.is_object()) {
            for (const char* key : without) json.erase(key);
        }
        return recogniser_config_from_json(json, file.parent_path());
    } catch (const Json::parse_error& error) {
        throw Error(file.string() + ":" + std::to_string(line_at(text, error.byte)) +
                    ": the recogniser is not JSON: " + error.what());
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

const std::vector<double>& ahonen_weights() {
    static const std::vector<double> weights{
        2, 1, 1, 1, 1, 1, 2,  //
        2, 4, 4, 1, 4, 4, 2,  //
        1, 1, 1, 0, 1, 1, 1,  //
        0, 1, 1, 0, 1, 1, 0,  //
        0, 1, 1, 1, 1, 1, 0,  //
        0, 1, 1, 2, 1, 1, 0,  //
        0, 1, 1, 1, 1, 1, 0,
    };
    return weights;
}

HistogramLayout histogram_layout(const RecogniserConfig& config) {
    HistogramLayout layout = lbp_layout(config.geometry.size, config.features);
    if (config.mirror) {
        for (HistogramBlock& block : layout.blocks) block.largest *= 2;
    }
    constexpr double unit = 256;
    for (std::size_t i = 0; i < config.weights.size(); ++i) {
        layout.blocks.at(i).weight = static_cast<std::uint32_t>(std::lround(config.weights[i] * unit));
    }
    return layout;
}

}  // namespace fovea
