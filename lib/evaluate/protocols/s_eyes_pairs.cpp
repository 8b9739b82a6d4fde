#include "lib/evaluate/protocols/s_eyes_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "lib/core/box_index.hpp"
#include "lib/core/error.hpp"
#include "lib/core/overlap.hpp"
#include "lib/evaluate/protocols/eye_distance.hpp"

namespace fovea {
namespace {

constexpr double largest_cost = 16384;
constexpr double cost_units = 268435456;  // 2^28: one cost has 2^42 units at most
constexpr std::size_t max_faces = 100000;

// Large enough that a pair more weighs more than all costs of the image together.
std::int64_t weight_of(double cost, double largest, std::size_t faces) {
    const auto whole = static_cast<std::int64_t>(largest * cost_units);
    return (static_cast<std::int64_t>(faces) + 1) * whole -
           std::llround(std::min(cost, largest) * cost_units);
}

BoxIndex index_of_left_eyes(const std::vector<Eyes>& eyes) {
    std::vector<Box> places;
    places.reserve(eyes.size());
    for (const Eyes& pair : eyes) places.push_back({pair.left.x, pair.left.y, 0, 0});
    return BoxIndex(places);
}

// The box of the left eyes of all faces that the detection hits: they are nearer to its own than half of its
// eyes' distance.
Box reach_of(const Eyes& eyes) {
    const double reach = s_eyes_border * std::hypot(eyes.right.x - eyes.left.x, eyes.right.y - eyes.left.y);
    return {eyes.left.x - reach, eyes.left.y - reach, 2 * reach, 2 * reach};
}

}  // namespace

std::vector<PairedDetection> s_eyes_pairs(const std::vector<Face>& faces,
                                          std::span<const Detection> detections, ProtocolMode mode) {
    if (faces.size() > max_faces) {
        throw Error("An image has " + std::to_string(faces.size()) +
                    " annotated faces; evaluation by S_eyes is possible up to " + std::to_string(max_faces) +
                    ".");
    }
    const double largest = mode == ProtocolMode::strict ? largest_cost : s_eyes_border;
    std::vector<Eyes> eyes;
    eyes.reserve(faces.size());
    for (const Face& face : faces) eyes.push_back(eyes_of(face));
    const BoxIndex index = index_of_left_eyes(eyes);
    std::vector<PairedDetection> pairs(detections.size());
    for (std::size_t d = 0; d < detections.size(); ++d) {
        const Eyes found = eyes_of(detections[d]);
        const auto add = [&](std::size_t f) {
            const double cost = s_eyes(eyes[f], found);
            const bool is_hit = cost < s_eyes_border;
            if (faces[f].ignore) {
                pairs[d].hits_ignored_face |= is_hit;
            } else if (is_hit || mode == ProtocolMode::strict) {
                pairs[d].candidates.push_back({static_cast<int>(f), weight_of(cost, largest, faces.size()),
                                               intersection_over_union(faces[f].box, detections[d].box),
                                               is_hit ? cost : 0, is_hit});
            }
        };
        if (mode == ProtocolMode::strict) {
            for (std::size_t f = 0; f < faces.size(); ++f) add(f);
        } else {
            index.visit_touching(reach_of(found), add);
        }
    }
    return pairs;
}

}  // namespace fovea
