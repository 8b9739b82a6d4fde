#include <algorithm>
#include <limits>

#include "lib/evaluate/tracks/frame_assignment.hpp"
#include "lib/evaluate/tracks/track_metrics.hpp"

namespace fovea {
namespace {

constexpr double clear_rounding = std::numeric_limits<double>::epsilon();
constexpr std::uint32_t no_track = std::numeric_limits<std::uint32_t>::max();

/// Follows the true tracks of a video from frame to frame.
class ClearEvaluation {
  public:
    ClearEvaluation(const PreparedVideo& video, double threshold, TrackMode mode)
        : video_(video),
          threshold_(threshold),
          is_strict_(mode == TrackMode::strict),
          last_result_(video.truth_tracks.size(), no_track),
          previous_result_(video.truth_tracks.size(), no_track),
          matched_(video.truth_tracks.size(), 0) {}

    ClearResult run(TrackMode mode) {
        for (std::size_t i = 0; i < video_.frames; ++i) add_frame(i);
        ClearNumbers& numbers = result_.numbers;
        numbers.frames = static_cast<double>(video_.frames);
        count_tracked(matched_, video_.truth_boxes, mode, numbers);
        complete(numbers);
        return std::move(result_);
    }

  private:
    void add_frame(std::size_t index) {
        const PreparedFrame frame = frame_of(video_, index);
        result_.numbers.fn += static_cast<double>(frame.truths.size());
        result_.numbers.fp += static_cast<double>(frame.results.size());
        // TrackEval passes over such a frame before it forgets the one before.
        const bool is_empty = frame.truths.empty() || frame.results.empty();
        if (is_empty && is_strict_) return;
        find_pairs(frame);
        double iou_sum = 0;
        newly_matched_.clear();
        for (const std::uint32_t k : assignment_.solve(pairs_, frame.truths.size(), frame.results.size())) {
            const Overlap& overlap = frame.overlaps[origin_[k]];
            add_match(index, overlap);
            iou_sum += overlap.iou;
        }
        result_.numbers.iou_sum += iou_sum;
        if (is_strict_) {
            for (const std::uint32_t truth : previously_matched_) previous_result_[truth] = no_track;
        } else {
            // An absent face is not lost.
            for (const std::uint32_t truth : frame.truths) previous_result_[truth] = no_track;
        }
        for (const std::uint32_t pair : newly_matched_)
            previous_result_[video_.pairs[pair].truth] = video_.pairs[pair].result;
        previously_matched_.clear();
        for (const std::uint32_t pair : newly_matched_)
            previously_matched_.push_back(video_.pairs[pair].truth);
    }

    void find_pairs(const PreparedFrame& frame) {
        constexpr double of_continued = 1000;
        pairs_.clear();
        origin_.clear();
        for (std::uint32_t k = 0; k < frame.overlaps.size(); ++k) {
            const Overlap& overlap = frame.overlaps[k];
            if (overlap.iou < threshold_ - clear_rounding) continue;
            const TrackPair& pair = video_.pairs[overlap.pair];
            const bool is_continued = previous_result_[pair.truth] == pair.result;
            pairs_.push_back(
                {overlap.truth, overlap.result, (is_continued ? of_continued : 0.0) + overlap.iou});
            origin_.push_back(k);
        }
    }

    void add_match(std::size_t frame, const Overlap& overlap) {
        const TrackPair& pair = video_.pairs[overlap.pair];
        ClearMatch match{static_cast<std::uint32_t>(frame), overlap.pair, overlap.iou};
        const std::uint32_t last = last_result_[pair.truth];
        match.is_switch = last != no_track && last != pair.result;
        match.is_resumed = last != no_track && previous_result_[pair.truth] == no_track;
        last_result_[pair.truth] = pair.result;
        ++matched_[pair.truth];
        newly_matched_.push_back(overlap.pair);
        ClearNumbers& numbers = result_.numbers;
        ++numbers.tp;
        --numbers.fn;
        --numbers.fp;
        numbers.switches += match.is_switch ? 1 : 0;
        numbers.fragments += match.is_resumed ? 1 : 0;
        result_.matches.push_back(match);
    }

    const PreparedVideo& video_;
    double threshold_;
    bool is_strict_;
    std::vector<std::uint32_t> last_result_;      // of each true track, however long ago
    std::vector<std::uint32_t> previous_result_;  // in the frame before
    std::vector<std::uint32_t> matched_;          // frames in which each true track was found
    std::vector<std::uint32_t> previously_matched_;
    std::vector<std::uint32_t> newly_matched_;  // pairs
    FrameAssignment assignment_;
    std::vector<WeightedPair> pairs_;
    std::vector<std::uint32_t> origin_;
    ClearResult result_;
};

/// TrackEval's numbers of a video without boxes of results, or without true ones.
ClearNumbers numbers_of_empty(const PreparedVideo& video) {
    ClearNumbers numbers;
    numbers.mostly_lost_rate = 1;
    if (video.results.empty()) {
        numbers.fn = static_cast<double>(video.truths.size());
        numbers.mostly_lost = static_cast<double>(video.truth_tracks.size());
    } else {
        numbers.fp = static_cast<double>(video.results.size());
    }
    return numbers;
}

}  // namespace

void count_tracked(std::span<const std::uint32_t> matched, std::span<const std::uint32_t> present,
                   TrackMode mode, ClearNumbers& numbers) {
    double tracked = 0, at_least_partly = 0, tracks = 0;
    for (std::size_t i = 0; i < matched.size(); ++i) {
        if (present[i] == 0) continue;
        const double share = static_cast<double>(matched[i]) / present[i];
        const bool is_tracked = mode == TrackMode::strict ? share > 0.8 : share >= 0.8;
        tracked += is_tracked ? 1 : 0;
        at_least_partly += share >= 0.2 ? 1 : 0;
        ++tracks;
    }
    numbers.mostly_tracked = tracked;
    numbers.partly_tracked = at_least_partly - tracked;
    numbers.mostly_lost = tracks - at_least_partly;
}

ClearResult evaluate_clear(const PreparedVideo& video, double threshold, TrackMode mode) {
    const bool is_empty = video.truths.empty() || video.results.empty();
    if (is_empty && mode == TrackMode::strict) return {numbers_of_empty(video), {}};
    return ClearEvaluation(video, threshold, mode).run(mode);
}

}  // namespace fovea
