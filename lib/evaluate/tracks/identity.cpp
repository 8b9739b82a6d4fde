#include <algorithm>
#include <limits>

#include "lib/evaluate/statistics/hungarian.hpp"
#include "lib/evaluate/tracks/track_metrics.hpp"

namespace fovea {

bool is_identity(double iou, double threshold, TrackMode mode) {
    return iou >=
           (mode == TrackMode::strict ? threshold : threshold - std::numeric_limits<double>::epsilon());
}

std::vector<std::uint32_t> identity_frames(const PreparedVideo& video, double threshold, TrackMode mode) {
    std::vector<std::uint32_t> frames(video.pairs.size(), 0);
    for (const Overlap& overlap : video.overlaps) {
        if (is_identity(overlap.iou, threshold, mode)) ++frames[overlap.pair];
    }
    return frames;
}

std::int64_t best_identity(std::span<const TrackPair> pairs, std::span<const std::uint32_t> frames,
                           std::size_t truth_tracks, std::size_t result_tracks) {
    HungarianMatcher matcher(static_cast<int>(result_tracks));
    std::vector<std::vector<HungarianMatcher::Edge>> edges_of(truth_tracks);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        if (frames[i] > 0) edges_of[pairs[i].truth].push_back({static_cast<int>(pairs[i].result), frames[i]});
    }
    std::int64_t sum = 0;
    for (const auto& row : edges_of) matcher.add_row(row);
    for (std::size_t truth = 0; truth < truth_tracks; ++truth) {
        for (const HungarianMatcher::Edge& edge : edges_of[truth]) {
            if (edge.column == matcher.column_of(static_cast<int>(truth))) sum += edge.weight;
        }
    }
    return sum;
}

IdentityNumbers evaluate_identity(const PreparedVideo& video, double threshold, TrackMode mode) {
    IdentityNumbers numbers;
    const std::vector<std::uint32_t> frames = identity_frames(video, threshold, mode);
    numbers.tp = static_cast<double>(
        best_identity(video.pairs, frames, video.truth_tracks.size(), video.result_tracks.size()));
    numbers.fn = static_cast<double>(video.truths.size()) - numbers.tp;
    numbers.fp = static_cast<double>(video.results.size()) - numbers.tp;
    complete(numbers);
    return numbers;
}

TrackCounts count_tracks(const PreparedVideo& video) {
    TrackCounts counts;
    counts.frames = static_cast<double>(video.frames);
    counts.truth_boxes = static_cast<double>(video.truths.size());
    counts.result_boxes = static_cast<double>(video.results.size());
    counts.truth_tracks = static_cast<double>(video.truth_tracks.size());
    counts.result_tracks = static_cast<double>(video.result_tracks.size());
    return counts;
}

}  // namespace fovea
