#include "lib/track/join_detections.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "lib/core/overlap.hpp"
#include "lib/evaluate/statistics/hungarian.hpp"

namespace fovea {
namespace {

/// IoU as a weight of the matcher: whole numbers, so that the best sum is exact.
constexpr double overlap_units = 1 << 30;
/// IoU from which on a box is that of a face in a frame of another size.
constexpr double min_resized_overlap = 0.5;

std::int64_t overlap_weight(double overlap, double min_overlap) {
    if (overlap <= 0 || overlap < min_overlap) return 0;
    return std::max<std::int64_t>(1, std::llround(overlap * overlap_units));
}

std::int64_t nearness_weight(double distance, double max_distance) {
    if (!(distance <= max_distance)) return 0;
    return std::max<std::int64_t>(1, std::llround(overlap_units / (1 + distance)));
}

/// A lost track is where it was seen last, or where its motion has taken it.
double overlap_of(const ExpectedFace& track, const Detection& detection, std::size_t frame) {
    const double overlap = intersection_over_union(track.box, detection.box);
    if (!track.is_lost || track.motion == nullptr) return overlap;
    return std::max(overlap, intersection_over_union(track.motion->expected(frame), detection.box));
}

/// The motion up to the last detection is looked at, too: flow may have gone astray behind it.
double distance_of(const ExpectedFace& track, const Detection& detection, std::size_t frame) {
    double distance = std::numeric_limits<double>::infinity();
    for (const BoxMotion* motion : {track.is_lost ? track.motion : nullptr, track.detected_motion}) {
        if (motion != nullptr) distance = std::min(distance, motion->distance(frame, detection.box));
    }
    return distance;
}

class Joiner {
  public:
    Joiner(std::span<const ExpectedFace> tracks, std::span<const Detection> detections)
        : tracks_(tracks), detections_(detections), taken_(detections.size(), false) {
        joined_.joined_to.resize(tracks.size());
    }

    /// Joins what is left to the largest sum of weights. \param weight of a track and a detection; 0: they
    /// are not to be joined.
    template <class Weight>
    void join(JoinRound round, const Weight& weight) {
        HungarianMatcher matcher(static_cast<int>(detections_.size()));
        std::vector<std::size_t> rows;
        for (std::size_t t = 0; t < tracks_.size(); ++t) {
            if (joined_.joined_to[t]) continue;
            matcher.add_row(edges_of(t, weight));
            rows.push_back(t);
        }
        for (std::size_t row = 0; row < rows.size(); ++row) {
            const int column = matcher.column_of(static_cast<int>(row));
            if (column >= 0) take(rows[row], static_cast<std::size_t>(column), round);
        }
    }

    /// Joins a track and a detection that have no other choice than each other.
    template <class Weight>
    void join_alone(const Weight& weight) {
        std::vector<std::optional<std::size_t>> track_of(detections_.size());
        std::vector<int> choices_of_track(tracks_.size(), 0), choices(detections_.size(), 0);
        for (std::size_t t = 0; t < tracks_.size(); ++t) {
            if (joined_.joined_to[t]) continue;
            for (const HungarianMatcher::Edge& edge : edges_of(t, weight)) {
                const auto d = static_cast<std::size_t>(edge.column);
                ++choices_of_track[t];
                ++choices[d];
                track_of[d] = t;
            }
        }
        for (std::size_t d = 0; d < detections_.size(); ++d) {
            if (choices[d] == 1 && choices_of_track[*track_of[d]] == 1)
                take(*track_of[d], d, JoinRound::alone);
        }
    }

    JoinedDetections finish(double min_score) && {
        for (std::size_t d = 0; d < detections_.size(); ++d) {
            if (!taken_[d] && detections_[d].score >= min_score && !doubles_a_track(d))
                joined_.new_faces.push_back(d);
        }
        return std::move(joined_);
    }

  private:
    void take(std::size_t track, std::size_t detection, JoinRound round) {
        joined_.joined_to[track] = {detection, round};
        taken_[detection] = true;
    }

    template <class Weight>
    std::vector<HungarianMatcher::Edge> edges_of(std::size_t track, const Weight& weight) const {
        std::vector<HungarianMatcher::Edge> edges;
        for (std::size_t d = 0; d < detections_.size(); ++d) {
            if (taken_[d]) continue;
            const std::int64_t units = weight(tracks_[track], detections_[d]);
            if (units > 0) edges.push_back({static_cast<int>(d), units});
        }
        return edges;
    }

    bool doubles_a_track(std::size_t detection) const {
        constexpr double max_overlap = 0.5;
        for (const std::optional<JoinedDetection>& other : joined_.joined_to) {
            if (other && intersection_over_union(detections_[other->detection].box,
                                                 detections_[detection].box) > max_overlap)
                return true;
        }
        return false;
    }

    std::span<const ExpectedFace> tracks_;
    std::span<const Detection> detections_;
    std::vector<bool> taken_;
    JoinedDetections joined_;
};

}  // namespace

JoinedDetections join_detections(std::span<const ExpectedFace> tracks, std::span<const Detection> detections,
                                 std::size_t frame, const TrackerOptions& options) {
    const auto is_strong = [&](const Detection& detection) { return detection.score >= options.min_score; };
    Joiner joiner(tracks, detections);
    joiner.join(JoinRound::overlap,
                [&](const ExpectedFace& track, const Detection& detection) -> std::int64_t {
                    if (!is_strong(detection)) return 0;
                    const double min_overlap = track.is_resized ? min_resized_overlap
                                               : track.is_lost  ? options.min_regained_overlap
                                                                : options.min_overlap;
                    return overlap_weight(overlap_of(track, detection, frame), min_overlap);
                });
    joiner.join(JoinRound::weak, [&](const ExpectedFace& track, const Detection& detection) -> std::int64_t {
        if (track.is_resized || is_strong(detection) || detection.score < options.min_weak_score) return 0;
        return overlap_weight(overlap_of(track, detection, frame), options.min_weak_overlap);
    });
    const auto distance = [&](const ExpectedFace& track, const Detection& detection) {
        if (!is_strong(detection) || track.is_resized) return std::numeric_limits<double>::infinity();
        return distance_of(track, detection, frame);
    };
    joiner.join(JoinRound::motion, [&](const ExpectedFace& track, const Detection& detection) {
        return nearness_weight(distance(track, detection), options.max_motion_distance);
    });
    joiner.join_alone([&](const ExpectedFace& track, const Detection& detection) {
        return nearness_weight(distance(track, detection), options.max_lone_distance);
    });
    JoinedDetections joined = std::move(joiner).finish(options.min_score);
    for (std::size_t t = 0; t < tracks.size(); ++t) {
        std::optional<JoinedDetection>& to = joined.joined_to[t];
        if (!to) continue;
        const Detection& detection = detections[to->detection];
        to->measure = is_by_overlap(to->round) ? overlap_of(tracks[t], detection, frame)
                                               : distance_of(tracks[t], detection, frame);
    }
    return joined;
}

}  // namespace fovea
