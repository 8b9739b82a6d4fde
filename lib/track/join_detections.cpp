#include "lib/track/join_detections.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "lib/core/overlap.hpp"
#include "lib/evaluate/statistics/hungarian.hpp"

namespace fovea {
namespace {

/// IoU as a weight of the matcher: whole numbers, so that the best sum is exact.
constexpr double overlap_units = 1 << 30;
/// IoU from which on a box is that of a face in a frame of another size.
constexpr double min_resized_overlap = 0.5;

class Joiner {
  public:
    Joiner(std::span<const ExpectedFace> tracks, std::span<const Detection> detections)
        : tracks_(tracks), detections_(detections), taken_(detections.size(), false) {
        joined_.detection_of.resize(tracks.size());
    }

    /// \param wants the least overlap of a track and a detection; nothing: they are not to be joined.
    template <class MinOverlap>
    void join(const MinOverlap& wants) {
        HungarianMatcher matcher(static_cast<int>(detections_.size()));
        std::vector<std::size_t> rows;
        for (std::size_t t = 0; t < tracks_.size(); ++t) {
            if (joined_.detection_of[t]) continue;
            matcher.add_row(edges_of(t, wants));
            rows.push_back(t);
        }
        for (std::size_t row = 0; row < rows.size(); ++row) {
            const int column = matcher.column_of(static_cast<int>(row));
            if (column < 0) continue;
            joined_.detection_of[rows[row]] = static_cast<std::size_t>(column);
            taken_[static_cast<std::size_t>(column)] = true;
        }
    }

    JoinedDetections take(double min_score) && {
        for (std::size_t d = 0; d < detections_.size(); ++d) {
            if (!taken_[d] && detections_[d].score >= min_score && !doubles_a_track(d))
                joined_.new_faces.push_back(d);
        }
        return std::move(joined_);
    }

  private:
    template <class MinOverlap>
    std::vector<HungarianMatcher::Edge> edges_of(std::size_t track, const MinOverlap& wants) const {
        std::vector<HungarianMatcher::Edge> edges;
        for (std::size_t d = 0; d < detections_.size(); ++d) {
            if (taken_[d]) continue;
            const std::optional<double> min_overlap = wants(tracks_[track], detections_[d]);
            if (!min_overlap) continue;
            const double overlap = intersection_over_union(tracks_[track].box, detections_[d].box);
            if (overlap <= 0 || overlap < *min_overlap) continue;
            edges.push_back(
                {static_cast<int>(d), std::max<std::int64_t>(1, std::llround(overlap * overlap_units))});
        }
        return edges;
    }

    bool doubles_a_track(std::size_t detection) const {
        constexpr double max_overlap = 0.5;
        for (const std::optional<std::size_t>& other : joined_.detection_of) {
            if (other &&
                intersection_over_union(detections_[*other].box, detections_[detection].box) > max_overlap)
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
                                 const TrackerOptions& options) {
    using MinOverlap = std::optional<double>;
    Joiner joiner(tracks, detections);
    joiner.join([&](const ExpectedFace& track, const Detection& detection) -> MinOverlap {
        if (detection.score < options.min_score) return std::nullopt;
        if (track.is_resized) return min_resized_overlap;
        return track.is_lost ? options.min_regained_overlap : options.min_overlap;
    });
    joiner.join([&](const ExpectedFace& track, const Detection& detection) -> MinOverlap {
        if (track.is_lost || detection.score < options.min_weak_score || detection.score >= options.min_score)
            return std::nullopt;
        return options.min_weak_overlap;
    });
    return std::move(joiner).take(options.min_score);
}

}  // namespace fovea
