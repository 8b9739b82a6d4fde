#include "lib/recognise/recogniser_config.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <limits>

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
#include "lib/json/field_json.hpp"
#include "lib/json/json_text.hpp"
#include "lib/json/names.hpp"
#include "lib/recognise/region_weights.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

constexpr NameTable<HistogramDistance, 5> distances{{"chi-square", "intersection", "l1", "l2", "cosine"},
                                                    "is no distance"};
constexpr NameTable<FaceAlignment, 2> alignments{{"eyes", "landmarks"}, "is no alignment"};

std::vector<int> integers_at(const JsonPlace& place, std::size_t count) {
    std::vector<int> found;
    for (const std::int64_t number :
         place.integers(count, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()))
        found.push_back(static_cast<int>(number));
    return found;
}

Size size_at(const JsonPlace& place) {
    const std::vector<int> sides = integers_at(place, 2);
    return {sides[0], sides[1]};
}

JsonValue point_value(CropPoint& point) {
    return number_list({&point.x, &point.y}, "a list of 2 numbers");
}

std::vector<Rect> counted_regions_at(const JsonPlace& place, Size face) {
    place.require_keys({"columns", "rows"}, {"left_half"});
    const int columns = place["columns"].whole();
    std::vector<Rect> regions =
        place.checked([&] { return regions_by_count(face, columns, place["rows"].whole()); });
    if (place.has("left_half") && place["left_half"].truth()) {
        if (columns % 2 != 0) place["columns"].fail("even where 'left_half' is true");
        std::erase_if(regions, [&](const Rect& region) { return region.x >= face.width / 2; });
    }
    return regions;
}

std::vector<Rect> regions_at(const JsonPlace& place, Size face) {
    if (place.has("cell")) {
        place.require_keys({"cell"}, {});
        const Size cell = size_at(place["cell"]);
        return place.checked([&] { return regions_by_cell(face, cell); });
    }
    if (place.has("columns") || place.has("rows")) return counted_regions_at(place, face);
    if (place.has("size")) {
        place.require_keys({"size"}, {"stride"});
        const Size size = size_at(place["size"]);
        const Size stride = place.has("stride") ? size_at(place["stride"]) : size;
        return place.checked([&] { return regions_by_stride(face, size, stride); });
    }
    if (!place.has("rectangles")) {
        place.fail_with("'" + place.path() +
                        "' must say what the regions are: \"cell\": [width, height], \"columns\" and "
                        "\"rows\", \"size\" and \"stride\", or \"rectangles\"");
    }
    place.require_keys({"rectangles"}, {});
    std::vector<Rect> regions = place["rectangles"].list_of([](const JsonPlace& rectangle) {
        const std::vector<int> sides = integers_at(rectangle, 4);
        return Rect{sides[0], sides[1], sides[2], sides[3]};
    });
    if (regions.empty()) place["rectangles"].fail("a list of rectangles [x, y, width, height]");
    return regions;
}

// Regions have several forms in files; rectangles is the one that is written.
JsonValue regions_value(std::vector<Rect>& regions, Size face) {
    return {[&regions] {
                Json rectangles = Json::array();
                for (const Rect& r : regions) rectangles.push_back({r.x, r.y, r.width, r.height});
                return Json{{"rectangles", std::move(rectangles)}};
            },
            [&regions, face](const JsonPlace& place) { regions = regions_at(place, face); }};
}

std::size_t region_count(const RecogniserConfig& config) {
    std::size_t regions = 0;
    for (const RegionalLbp& feature : config.features) regions += feature.regions.size();
    return regions;
}

// All that decides a face's features.
void describe_features(FieldVisitor& visitor, RecogniserConfig& config) {
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
    visitor.value({.key = "mirror"}, &config.mirror);
    const auto describe_feature = [&config](FieldVisitor& members, RegionalLbp& feature) {
        members.value({.key = "points"}, &feature.lbp.points);
        members.value({.key = "radius"}, &feature.lbp.radius);
        members.value({.key = "uniform"}, &feature.lbp.uniform);
        members.demand("", [&] { make_lbp_plan(feature.lbp); });
        members.value({.key = "regions", .presence = Presence::always},
                      regions_value(feature.regions, config.geometry.size));
    };
    visitor.objects("features", list_of<RegionalLbp>(config.features, describe_feature));
    visitor.rule("features", !config.features.empty(), "a list of at least one feature");
}

void check_weights(const JsonPlace& place, const std::vector<double>& weights, std::size_t regions) {
    constexpr double most = 255;
    if (weights.size() != regions) {
        place.fail_with(fmt::format("'{}' must be one weight for each of the {} regions, but there are {}",
                                    place.path(), regions, weights.size()));
    }
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (weights[i] >= 0 && weights[i] <= most) continue;
        place.fail_with(fmt::format("'{}[{}]' must be between 0 and 255, but is {}", place.path(), i,
                                    shortest_number(weights[i])));
    }
}

void read_weights(const JsonPlace& place, const fs::path& folder, RecogniserConfig& config) {
    if (place.json().is_null()) return;
    if (place.json() == "ahonen") {
        config.weights = ahonen_weights();
    } else if (place.json().is_string()) {
        const fs::path file = place.text();
        RegionWeights found = read_region_weights(file.is_absolute() ? file : folder / file);
        if (found.fingerprint != feature_fingerprint(config)) {
            place.fail_because("the weights in " + file.string() +
                               " are those of a recogniser with other features; train them for this one with "
                               "'fovea train lbp-weights'");
        }
        config.weights = std::move(found.weights);
        config.fold_weights = std::move(found.folds);
    } else {
        if (!place.json().is_array()) place.fail("null, \"ahonen\", a file or a list of numbers");
        config.weights = place.list_of([](const JsonPlace& weight) { return weight.number(); });
    }
    const std::size_t regions = region_count(config);
    check_weights(place, config.weights, regions);
    for (const std::vector<double>& fold : config.fold_weights.weights) check_weights(place, fold, regions);
}

// All that decides the distance of two faces. \param folder see recogniser_config_from_json.
void describe_distance(FieldVisitor& visitor, RecogniserConfig& config, const fs::path& folder) {
    describe_features(visitor, config);
    visitor.value({.key = "distance"}, named(config.distance, distances));
    visitor.value({.key = "weights"},
                  JsonValue{[&] { return config.weights.empty() ? Json() : Json(config.weights); },
                            [&](const JsonPlace& place) { read_weights(place, folder, config); }});
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

/// \param describe with the config, and the folder of weights, which nothing that is written needs.
std::string fingerprint_of(RecogniserConfig config,
                           const std::function<void(FieldVisitor&, RecogniserConfig&)>& describe) {
    return sha256_of(write_fields([&](FieldVisitor& visitor) { describe(visitor, config); }).dump());
}

std::vector<ModelPlace> recogniser_places() {
    std::vector<ModelPlace> places;
    for (const fs::path& folder : model_folders()) places.push_back({folder / "recognisers", {".json"}});
    return places;
}

}  // namespace

std::string to_string(HistogramDistance distance) {
    return distances.name_of(distance);
}

RecogniserConfig recogniser_config_from_json(const Json& json, const fs::path& folder) {
    RecogniserConfig config;
    const JsonPlace place(json);
    const auto describe = [&](FieldVisitor& visitor) { describe_recogniser(visitor, config, folder); };
    read_fields(place, describe);
    check_fields(place, describe);
    place["features"].checked([&] {
        check_histogram_layout(histogram_layout(config));
        return true;
    });
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
    return fingerprint_of(config, [](FieldVisitor& visitor, RecogniserConfig& written) {
        describe_distance(visitor, written, {});
    });
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
