#include "lib/recognise/far_thresholds.hpp"

#include <algorithm>
#include <cmath>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/json/field.hpp"

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

double distance_at_far(const FarThresholds& thresholds, double far) {
    const std::vector<FarThreshold>& points = thresholds.points;
    const auto below = std::find_if(points.begin(), points.end(),
                                    [far](const FarThreshold& point) { return point.far <= far; });
    if (below == points.begin()) return points.front().distance;
    if (below == points.end()) return points.back().distance;
    const FarThreshold& above = *std::prev(below);
    const double share = std::log(far / below->far) / std::log(above.far / below->far);
    return below->distance + share * (above.distance - below->distance);
}

double pair_far(double search_far, std::size_t faces) {
    return -std::expm1(std::log1p(-search_far) / static_cast<double>(faces));
}

double search_far(double pair_far, std::size_t faces) {
    return -std::expm1(std::log1p(-pair_far) * static_cast<double>(faces));
}

void describe(FieldVisitor& visitor, FarThresholds& thresholds) {
    visitor.value({.key = "origin"}, &thresholds.origin);
    visitor.value({.key = "impostor_pairs"}, &thresholds.impostor_pairs);
    visitor.value({.key = "genuine_pairs"}, &thresholds.genuine_pairs);
    ObjectList points = list_of<FarThreshold>(thresholds.points, nullptr);
    points.describe = [&thresholds](std::size_t i, FieldVisitor& members) {
        FarThreshold& point = thresholds.points[i];
        members.value({.key = "far", .range = inside(0, 1)}, &point.far);
        members.value({.key = "distance"}, &point.distance);
        members.value({.key = "tar", .range = between(0, 1)}, &point.tar);
        if (i == 0) return;
        const FarThreshold& before = thresholds.points[i - 1];
        members.rule("far", point.far < before.far, "smaller than that of the point before");
        members.rule("distance", point.distance <= before.distance,
                     "no larger than that of the point before");
    };
    visitor.objects("points", points);
    visitor.rule("points", !thresholds.points.empty(),
                 "a list of objects with \"far\", \"distance\" and \"tar\"");
}

}  // namespace fovea
