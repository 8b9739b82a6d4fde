#include "lib/recognise/far_thresholds.hpp"

#include <algorithm>
#include <cmath>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/json/json_fields.hpp"

namespace fovea {

const std::vector<double> threshold_rates{0.1,      0.05,     0.02,   0.01,    0.005,   0.002,   0.001,
                                          0.0005,   0.0002,   0.0001, 0.00005, 0.00002, 0.00001, 0.000005,
                                          0.000002, 0.000001, 5e-7,   2e-7,    1e-7};

FarThresholds far_thresholds(std::vector<double> impostors, std::vector<double> genuine, std::string origin) {
    std::sort(impostors.begin(), impostors.end());
    std::sort(genuine.begin(), genuine.end());
    FarThresholds thresholds;
    thresholds.impostor_pairs = impostors.size();
    thresholds.genuine_pairs = genuine.size();
    thresholds.origin = std::move(origin);
    const auto accepted_at = [](const std::vector<double>& sorted, double distance) {
        return static_cast<std::size_t>(std::upper_bound(sorted.begin(), sorted.end(), distance) -
                                        sorted.begin());
    };
    constexpr double rounding = 1e-9;  // 0.001 times 10,000 pairs are ten
    for (const double far : threshold_rates) {
        const auto allowed =
            static_cast<std::size_t>(std::floor(far * static_cast<double>(impostors.size()) + rounding));
        if (allowed < min_accepted_impostors || allowed >= impostors.size()) continue;
        // All pairs at one distance are accepted, or none.
        const auto beyond = std::lower_bound(impostors.begin(), impostors.end(), impostors[allowed]);
        if (beyond == impostors.begin()) continue;
        const double distance = *std::prev(beyond);
        const std::size_t mates = accepted_at(genuine, distance);
        const double tar =
            genuine.empty() ? 0 : static_cast<double>(mates) / static_cast<double>(genuine.size());
        thresholds.points.push_back({far, distance, tar});
    }
    if (thresholds.empty()) {
        throw Error(counted(impostors.size(), "pair") + " of two people cannot show any false accept rate: " +
                    std::to_string(10 * min_accepted_impostors) +
                    " pairs with different distances are the least; use a larger dataset");
    }
    return thresholds;
}

std::optional<FarThreshold> threshold_at_far(const FarThresholds& thresholds, double far) {
    constexpr double rounding = 1e-9;  // relative
    for (const FarThreshold& point : thresholds.points) {
        if (point.far <= far * (1 + rounding)) return point;
    }
    return std::nullopt;
}

double pair_far(double search_far, std::size_t faces) {
    return -std::expm1(std::log1p(-search_far) / static_cast<double>(faces));
}

double search_far(double pair_far, std::size_t faces) {
    return -std::expm1(std::log1p(-pair_far) * static_cast<double>(faces));
}

Json far_thresholds_to_json(const FarThresholds& thresholds) {
    Json json{{"origin", thresholds.origin},
              {"impostor_pairs", thresholds.impostor_pairs},
              {"genuine_pairs", thresholds.genuine_pairs}};
    json["points"] = Json::array();
    for (const FarThreshold& point : thresholds.points) {
        json["points"].push_back({{"far", point.far}, {"distance", point.distance}, {"tar", point.tar}});
    }
    return json;
}

FarThresholds far_thresholds_from_json(const Json& json, const std::string& path) {
    FarThresholds thresholds;
    JsonFields fields(json, path);
    fields.read("origin", thresholds.origin);
    fields.read("impostor_pairs", thresholds.impostor_pairs);
    fields.read("genuine_pairs", thresholds.genuine_pairs);
    const Json* points = fields.find("points");
    require_field(points != nullptr && points->is_array() && !points->empty(), fields.path_of("points"),
                  "a list of objects with \"far\", \"distance\" and \"tar\"");
    for (std::size_t i = 0; i < points->size(); ++i) {
        FarThreshold point;
        JsonFields entry((*points)[i], fields.path_of("points[" + std::to_string(i) + "]"));
        entry.read("far", point.far);
        entry.read("distance", point.distance);
        entry.read("tar", point.tar);
        entry.finish();
        require_field(point.far > 0 && point.far < 1, entry.path_of("far"), "between 0 and 1");
        require_field(point.tar >= 0 && point.tar <= 1, entry.path_of("tar"), "between 0 and 1");
        require_field(std::isfinite(point.distance), entry.path_of("distance"), "a finite number");
        if (!thresholds.points.empty()) {
            require_field(point.far < thresholds.points.back().far, entry.path_of("far"),
                          "smaller than that of the point before");
            require_field(point.distance <= thresholds.points.back().distance, entry.path_of("distance"),
                          "no larger than that of the point before");
        }
        thresholds.points.push_back(point);
    }
    fields.finish();
    return thresholds;
}

}  // namespace fovea
