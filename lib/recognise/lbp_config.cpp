#include "lib/recognise/lbp_config.hpp"

#include <cmath>
#include <limits>

#include <spdlog/fmt/fmt.h>

#include "kernels/lbp/lbp_histograms.hpp"
#include "lib/core/text.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/names.hpp"
#include "lib/recognise/region_weights.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

constexpr NameTable<HistogramDistance, 5> distances{{"chi-square", "intersection", "l1", "l2", "cosine"},
                                                    "is no distance"};

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

}  // namespace

void describe_lbp_features(FieldVisitor& visitor, RecogniserConfig& config, const fs::path& /*folder*/) {
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

void describe_lbp_distance(FieldVisitor& visitor, RecogniserConfig& config, const fs::path& folder) {
    visitor.value({.key = "distance"}, named(config.distance, distances));
    visitor.value({.key = "weights"},
                  JsonValue{[&] { return config.weights.empty() ? Json() : Json(config.weights); },
                            [&](const JsonPlace& place) { read_weights(place, folder, config); }});
}

std::string to_string(HistogramDistance distance) {
    return distances.name_of(distance);
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
