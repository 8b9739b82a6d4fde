#include "lib/evaluate/tracks/motmetrics.hpp"

#include <algorithm>
#include <limits>

#include "lib/evaluate/statistics/numpy_sum.hpp"
#include "lib/evaluate/tracks/frame_assignment.hpp"
#include "lib/evaluate/tracks/track_metrics.hpp"

namespace fovea {
namespace {

constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();

void complete_motmetrics(MotmetricsNumbers& n) {
    const double found = n.matches + n.switches;
    n.mota = 1 - (n.misses + n.switches + n.false_positives) / n.objects;
    n.recall = found / n.objects;
    n.precision = found / (n.false_positives + found);
    n.idf1 = 2 * n.idtp / (n.objects + n.predictions);
    n.idr = n.idtp / (n.idtp + n.idfn);
    n.idp = n.idtp / (n.idtp + n.idfp);
}

/// Follows the pairings of a video from frame to frame.
class MotmetricsEvaluation {
  public:
    MotmetricsEvaluation(const PreparedVideo& video, double threshold)
        : video_(video),
          max_distance_(1 - threshold),
          result_of_(video.truth_tracks.size(), nobody),
          truth_of_(video.result_tracks.size(), nobody),
          was_result_matched_(video.result_tracks.size(), 0),
          matched_(video.truth_tracks.size(), 0),
          is_interrupted_(video.truth_tracks.size(), 0) {}

    MotmetricsNumbers run() {
        for (std::size_t i = 0; i < video_.frames; ++i) add_frame(frame_of(video_, i));
        numbers_.objects = static_cast<double>(video_.truths.size());
        numbers_.predictions = static_cast<double>(video_.results.size());
        numbers_.unique_objects = static_cast<double>(video_.truth_tracks.size());
        numbers_.misses = numbers_.objects - numbers_.matches - numbers_.switches;
        numbers_.false_positives = numbers_.predictions - numbers_.matches - numbers_.switches;
        count_tracks_of_video();
        numbers_.distance_sum = numpy_sum(distances_, 0, events_);
        count_identities();
        complete_motmetrics(numbers_);
        numbers_.motp = numbers_.distance_sum / (numbers_.matches + numbers_.switches);
        return numbers_;
    }

  private:
    void add_frame(const PreparedFrame& frame) {
        is_truth_taken_.assign(frame.truths.size(), 0);
        is_result_taken_.assign(frame.results.size(), 0);
        const std::size_t before = events_;
        continue_pairs(frame);
        make_pairs(frame);
        const std::size_t pairs = events_ - before;
        // A line for each match, each miss and each false positive.
        events_ += frame.truths.size() + frame.results.size() - 2 * pairs;
        for (std::size_t i = 0; i < frame.truths.size(); ++i) {
            const std::uint32_t truth = frame.truths[i];
            if (is_truth_taken_[i]) {
                numbers_.fragments += is_interrupted_[truth];
                is_interrupted_[truth] = 0;
            } else if (matched_[truth] > 0) {
                is_interrupted_[truth] = 1;
            }
        }
    }

    void continue_pairs(const PreparedFrame& frame) {
        for (const Overlap& overlap : frame.overlaps) {
            const TrackPair& pair = video_.pairs[overlap.pair];
            const double distance = 1 - overlap.iou;
            const bool is_known = result_of_[pair.truth] == pair.result;
            if (!is_known || distance > max_distance_ || is_result_taken_[overlap.result]) continue;
            ++numbers_.matches;
            take(overlap, distance);
            was_result_matched_[pair.result] = 1;
        }
    }

    void make_pairs(const PreparedFrame& frame) {
        pairs_.clear();
        origin_.clear();
        double largest = 0;
        for (std::uint32_t k = 0; k < frame.overlaps.size(); ++k) {
            const Overlap& overlap = frame.overlaps[k];
            const double distance = 1 - overlap.iou;
            if (is_truth_taken_[overlap.truth] || is_result_taken_[overlap.result] ||
                distance > max_distance_) {
                continue;
            }
            pairs_.push_back({overlap.truth, overlap.result, distance});
            origin_.push_back(k);
            largest = std::max(largest, distance);
        }
        if (pairs_.empty()) return;
        const auto shorter = static_cast<double>(std::min(frame.truths.size(), frame.results.size()));
        const double missing = 2 * shorter * (largest + 1) + 1;
        for (const std::uint32_t k :
             assignment_.solve_costs(pairs_, frame.truths.size(), frame.results.size(), missing)) {
            add_new_pair(frame.overlaps[origin_[k]], pairs_[k].weight);
        }
    }

    void add_new_pair(const Overlap& overlap, double distance) {
        const TrackPair& pair = video_.pairs[overlap.pair];
        const std::uint32_t before = result_of_[pair.truth];
        const bool is_switch = before != nobody && before != pair.result;
        ++(is_switch ? numbers_.switches : numbers_.matches);
        if (is_switch && !was_result_matched_[pair.result]) ++numbers_.ascends;
        const std::uint32_t owner = truth_of_[pair.result];
        if (owner != nobody && owner != pair.truth) {
            ++numbers_.transfers;
            if (before == nobody) ++numbers_.migrates;
        }
        was_result_matched_[pair.result] = 1;
        result_of_[pair.truth] = pair.result;
        truth_of_[pair.result] = pair.truth;
        take(overlap, distance);
    }

    void take(const Overlap& overlap, double distance) {
        is_truth_taken_[overlap.truth] = 1;
        is_result_taken_[overlap.result] = 1;
        ++matched_[video_.pairs[overlap.pair].truth];
        distances_.push_back({events_++, distance});
    }

    void count_tracks_of_video() {
        for (std::size_t i = 0; i < matched_.size(); ++i) {
            const double share = static_cast<double>(matched_[i]) / video_.truth_boxes[i];
            numbers_.mostly_tracked += share >= 0.8 ? 1 : 0;
            numbers_.partly_tracked += share >= 0.2 && share < 0.8 ? 1 : 0;
            numbers_.mostly_lost += share < 0.2 ? 1 : 0;
        }
    }

    void count_identities() {
        std::vector<std::uint32_t> frames(video_.pairs.size(), 0);
        for (const Overlap& overlap : video_.overlaps) {
            if (1 - overlap.iou <= max_distance_) ++frames[overlap.pair];
        }
        numbers_.idtp = static_cast<double>(
            best_identity(video_.pairs, frames, video_.truth_tracks.size(), video_.result_tracks.size()));
        numbers_.idfn = numbers_.objects - numbers_.idtp;
        numbers_.idfp = numbers_.predictions - numbers_.idtp;
    }

    const PreparedVideo& video_;
    double max_distance_;
    std::vector<std::uint32_t> result_of_;  // of each true track, however long ago
    std::vector<std::uint32_t> truth_of_;   // of each track of the results, by new pairs alone
    std::vector<char> was_result_matched_;
    std::vector<std::uint32_t> matched_;
    std::vector<char> is_interrupted_;
    std::vector<char> is_truth_taken_;   // in the frame
    std::vector<char> is_result_taken_;  // in the frame
    std::size_t events_ = 0;             // lines of motmetrics' table
    std::vector<ArrayTerm> distances_;
    FrameAssignment assignment_;
    std::vector<WeightedPair> pairs_;
    std::vector<std::uint32_t> origin_;
    MotmetricsNumbers numbers_;
};

}  // namespace

MotmetricsNumbers evaluate_motmetrics(const PreparedVideo& video, double threshold) {
    return MotmetricsEvaluation(video, threshold).run();
}

MotmetricsNumbers combine(std::span<const MotmetricsNumbers> videos) {
    MotmetricsNumbers all;
    for (const MotmetricsNumbers& video : videos) {
        for (const auto member :
             {&MotmetricsNumbers::objects, &MotmetricsNumbers::predictions,
              &MotmetricsNumbers::unique_objects, &MotmetricsNumbers::matches, &MotmetricsNumbers::switches,
              &MotmetricsNumbers::misses, &MotmetricsNumbers::false_positives, &MotmetricsNumbers::transfers,
              &MotmetricsNumbers::ascends, &MotmetricsNumbers::migrates, &MotmetricsNumbers::mostly_tracked,
              &MotmetricsNumbers::partly_tracked, &MotmetricsNumbers::mostly_lost,
              &MotmetricsNumbers::fragments, &MotmetricsNumbers::idtp, &MotmetricsNumbers::idfn,
              &MotmetricsNumbers::idfp}) {
            all.*member += video.*member;
        }
        all.distance_sum += video.motp * (video.matches + video.switches);
    }
    complete_motmetrics(all);
    all.motp = all.distance_sum / (all.matches + all.switches);
    return all;
}

}  // namespace fovea
