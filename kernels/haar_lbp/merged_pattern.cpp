#include "kernels/haar_lbp/merged_pattern.hpp"

#include <cmath>
#include <initializer_list>
#include <map>
#include <utility>

namespace fovea {
namespace {

using Point = std::pair<int, int>;  // x, y

// Weight of each corner in Σ weight · rectangle sum; corners whose weights cancel are left out.
std::map<Point, int> corner_weights(const HaarFeature& feature) {
    std::map<Point, int> weights;
    for (std::size_t i = 0; i < feature.rects.size(); ++i) {
        const int weight = static_cast<int>(feature.weights[i]);
        if (weight == 0) continue;
        const Rect& r = feature.rects[i];
        weights[{r.x, r.y}] += weight;
        weights[{r.x + r.width, r.y}] -= weight;
        weights[{r.x, r.y + r.height}] -= weight;
        weights[{r.x + r.width, r.y + r.height}] += weight;
    }
    std::erase_if(weights, [](const auto& entry) { return entry.second == 0; });
    return weights;
}

// The corners by weight: `counts` of each of `weights`, in that order, or nothing.
std::optional<std::vector<Point>> match(const std::map<Point, int>& corners,
                                        std::initializer_list<std::pair<int, int>> weights_and_counts) {
    std::vector<Point> ordered;
    for (const auto& [weight, count] : weights_and_counts) {
        const std::size_t before = ordered.size();
        for (const auto& [point, value] : corners) {
            if (value == weight) ordered.push_back(point);
        }
        if (ordered.size() - before != static_cast<std::size_t>(count)) return std::nullopt;
    }
    if (ordered.size() != corners.size()) return std::nullopt;
    return ordered;
}

// The float operations of a feature are exact in every order if all their results are integers below 2^24.
bool is_exact_integer(const HaarFeature& feature) {
    double bound = 0;
    for (std::size_t i = 0; i < feature.rects.size(); ++i) {
        const float weight = feature.weights[i];
        if (weight != std::trunc(weight) || std::abs(weight) > 100) return false;
        const Rect& r = feature.rects[i];
        bound += std::abs(weight) * 255.0 * r.width * r.height;
    }
    return bound < 1 << 24;
}

}  // namespace

std::optional<MergedPattern> merged_pattern(const HaarFeature& feature) {
    if (feature.tilted || !is_exact_integer(feature)) return std::nullopt;
    const std::map<Point, int> corners = corner_weights(feature);
    if (auto points = match(corners, {{1, 2}, {-1, 2}, {2, 1}, {-2, 1}})) {
        return MergedPattern{MergedPattern::edge, 1, *points};
    }
    for (const int sign : {1, -1}) {
        if (auto points = match(corners, {{sign, 4}, {-2 * sign, 4}, {4 * sign, 1}})) {
            return MergedPattern{MergedPattern::quad, sign, *points};
        }
    }
    if (feature.weights[0] != -1 || feature.weights[2] != 0) return std::nullopt;
    MergedPattern pattern{MergedPattern::line, static_cast<int>(feature.weights[1]), {}};
    for (int i = 0; i < 2; ++i) {
        const Rect& r = feature.rects[i];
        for (const Point& point : {Point{r.x, r.y}, Point{r.x + r.width, r.y}, Point{r.x, r.y + r.height},
                                   Point{r.x + r.width, r.y + r.height}}) {
            pattern.corners.push_back(point);
        }
    }
    return pattern;
}

std::vector<MergedPattern> merged_patterns(const Cascade& cascade) {
    if (cascade.feature != Cascade::Feature::haar) return {};
    std::vector<MergedPattern> patterns;
    patterns.reserve(cascade.haar_features.size());
    for (const HaarFeature& feature : cascade.haar_features) {
        std::optional<MergedPattern> pattern = merged_pattern(feature);
        if (!pattern) return {};
        patterns.push_back(std::move(*pattern));
    }
    return patterns;
}

}  // namespace fovea
