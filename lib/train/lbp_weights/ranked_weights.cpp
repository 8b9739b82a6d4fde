#include "lib/train/lbp_weights/ranked_weights.hpp"

#include <algorithm>
#include <cmath>

#include <tbb/parallel_for.h>

namespace fovea {
namespace {

double percentile(const std::vector<double>& sorted, double share) {
    const double place = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    if (below + 1 == sorted.size()) return sorted.back();
    return std::lerp(sorted[below], sorted[below + 1], place - static_cast<double>(below));
}

long common_area(const Rect& a, const Rect& b) {
    const long width = std::min(a.x + a.width, b.x + b.width) - std::max(a.x, b.x);
    const long height = std::min(a.y + a.height, b.y + b.height) - std::max(a.y, b.y);
    return width > 0 && height > 0 ? width * height : 0;
}

std::size_t mirrored_region(const std::vector<Rect>& regions, std::size_t region, int face_width) {
    Rect mirror = regions[region];
    mirror.x = face_width - mirror.x - mirror.width;
    std::size_t best = region;
    long most = 0;
    for (std::size_t i = 0; i < regions.size(); ++i) {
        const long common = common_area(mirror, regions[i]);
        if (common > most) {
            most = common;
            best = i;
        }
    }
    return 2 * most >= static_cast<long>(mirror.width) * mirror.height ? best : region;
}

}  // namespace

std::vector<double> ranked_weights(const std::vector<double>& rates,
                                   const std::vector<std::size_t>& mirrored) {
    std::vector<double> averaged(rates.size());
    for (std::size_t r = 0; r < rates.size(); ++r) averaged[r] = (rates[r] + rates[mirrored[r]]) / 2;
    std::vector<double> sorted = averaged;
    std::sort(sorted.begin(), sorted.end());
    const double low = percentile(sorted, 0.2), high = percentile(sorted, 0.8), top = percentile(sorted, 0.9);
    std::vector<double> weights;
    for (const double rate : averaged) {
        weights.push_back(rate < low ? 0 : rate > top ? 4 : rate > high ? 2 : 1);
    }
    return weights;
}

std::vector<std::size_t> mirrored_regions(const RecogniserConfig& config) {
    std::vector<std::size_t> mirrored;
    for (const RegionalLbp& feature : config.features) {
        const std::size_t first = mirrored.size();
        for (std::size_t r = 0; r < feature.regions.size(); ++r) {
            mirrored.push_back(first + mirrored_region(feature.regions, r, config.geometry.size.width));
        }
    }
    return mirrored;
}

std::vector<double> region_accuracies(const RegionPairs& pairs) {
    std::vector<double> rates(pairs.regions);
    tbb::parallel_for(std::size_t{0}, pairs.regions, [&](std::size_t r) {
        std::vector<double> distances(pairs.size());
        for (std::size_t i = 0; i < pairs.size(); ++i) distances[i] = pairs.of(i)[r];
        const BestThreshold best = best_threshold(distances, pairs.same);
        rates[r] = static_cast<double>(best.right) / static_cast<double>(pairs.size());
    });
    return rates;
}

}  // namespace fovea
