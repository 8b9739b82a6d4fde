#include "lib/core/overlap.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace fovea {

Box shared_box(const Box& a, const Box& b) {
    const double x = std::max(a.x, b.x), y = std::max(a.y, b.y);
    return {x, y, std::min(a.x + a.w, b.x + b.w) - x, std::min(a.y + a.h, b.y + b.h) - y};
}

double intersection_over_union(const Box& a, const Box& b) {
    const double shared = shared_box(a, b).area();
    if (!(shared > 0)) return 0;
    const double total = a.area() + b.area() - shared;
    // Sizes near the largest double overflow; no image has such boxes, and NaN must not spread.
    if (!(total > 0) || !std::isfinite(total)) return 0;
    // Exactly: with a fraction in x, (x + w) - x need not be w.
    if (a == b) return 1;
    return std::min(1.0, shared / total);
}

std::vector<OverlappingPair> pair_greedily(std::vector<OverlappingPair> pairs) {
    std::stable_sort(pairs.begin(), pairs.end(), [](const OverlappingPair& a, const OverlappingPair& b) {
        return a.overlap > b.overlap;
    });
    std::set<std::size_t> firsts, seconds;
    std::erase_if(pairs, [&](const OverlappingPair& pair) {
        if (firsts.contains(pair.first) || seconds.contains(pair.second)) return true;
        firsts.insert(pair.first);
        seconds.insert(pair.second);
        return false;
    });
    return pairs;
}

}  // namespace fovea
