#include "lib/evaluate/detection/overlap_pairs.hpp"

#include <cmath>

#include "lib/core/box_index.hpp"
#include "lib/core/overlap.hpp"
#include "lib/evaluate/statistics/hungarian.hpp"

namespace fovea {

std::vector<OverlapPair> overlap_pairs(std::span<const Face> faces, std::span<const Detection> detections,
                                       double min_iou) {
    constexpr double units_per_iou = 1099511627776.0;  // 2^40
    HungarianMatcher matcher(static_cast<int>(faces.size()));
    std::vector<HungarianMatcher::Edge> edges;
    const BoxIndex index(faces);
    for (const Detection& detection : detections) {
        edges.clear();
        index.visit_touching(detection.box, [&](std::size_t f) {
            if (faces[f].ignore) return;
            const double iou = intersection_over_union(faces[f].box, detection.box);
            const std::int64_t weight = std::llround(iou * units_per_iou);
            if (iou > min_iou && weight > 0) edges.push_back({static_cast<int>(f), weight});
        });
        matcher.add_row(edges);
    }
    std::vector<OverlapPair> pairs;
    for (std::size_t f = 0; f < faces.size(); ++f) {
        const int row = matcher.row_of(static_cast<int>(f));
        if (row < 0) continue;
        const auto d = static_cast<std::size_t>(row);
        pairs.push_back({f, d, intersection_over_union(faces[f].box, detections[d].box)});
    }
    return pairs;
}

}  // namespace fovea
