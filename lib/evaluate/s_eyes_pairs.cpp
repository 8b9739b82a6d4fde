#include "lib/evaluate/s_eyes_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "lib/core/error.hpp"
#include "lib/core/overlap.hpp"
#include "lib/evaluate/eye_distance.hpp"

namespace fovea {
namespace {

constexpr double largest_cost = 16384;
constexpr double cost_units = 268435456;  // 2^28: one cost has 2^42 units at most
constexpr std::size_t most_faces = 100000;

// Large enough that a pair more weighs more than all costs of the image together.
std::int64_t weight_of(double cost, double largest, std::size_t faces) {
    const auto whole = static_cast<std::int64_t>(largest * cost_units);
    return (static_cast<std::int64_t>(faces) + 1) * whole -
           std::llround(std::min(cost, largest) * cost_units);
}

}  // namespace

std::vector<PairedDetection> s_eyes_pairs(const std::vector<Face>& faces,
                                          const std::vector<Detection>& detections, ProtocolMode mode) {
    if (faces.size() > most_faces) {
        throw Error("An image has " + std::to_string(faces.size()) +
                    " annotated faces; evaluation by S_eyes is possible up to " + std::to_string(most_faces) +
                    ".");
    }
    const double largest = mode == ProtocolMode::strict ? largest_cost : s_eyes_border;
    std::vector<PairedDetection> pairs(detections.size());
    for (std::size_t f = 0; f < faces.size(); ++f) {
        const Eyes eyes = eyes_of(faces[f]);
        for (std::size_t d = 0; d < detections.size(); ++d) {
            const double cost = s_eyes(eyes, eyes_of(detections[d]));
            const bool is_hit = cost < s_eyes_border;
            if (faces[f].ignore) {
                pairs[d].hits_ignored_face |= is_hit;
            } else if (is_hit || mode == ProtocolMode::strict) {
                pairs[d].candidates.push_back({static_cast<int>(f), weight_of(cost, largest, faces.size()),
                                               intersection_over_union(faces[f].box, detections[d].box),
                                               is_hit ? cost : 0, is_hit});
            }
        }
    }
    return pairs;
}

}  // namespace fovea
