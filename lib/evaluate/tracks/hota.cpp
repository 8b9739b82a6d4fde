#include <algorithm>
#include <limits>

#include "lib/evaluate/statistics/numpy_sum.hpp"
#include "lib/evaluate/tracks/association.hpp"
#include "lib/evaluate/tracks/frame_assignment.hpp"
#include "lib/evaluate/tracks/track_metrics.hpp"

namespace fovea {
namespace {

constexpr double hota_rounding = std::numeric_limits<double>::epsilon();

/// Sums of the overlaps of each box of a frame, in the order in which numpy adds the rows and columns of its
/// matrix.
class OverlapSums {
  public:
    void add_up(const PreparedFrame& frame) {
        of_truth.assign(frame.truths.size(), 0.0);
        of_result.assign(frame.results.size(), 0.0);
        // The matrix of a frame from which boxes were removed is stored by columns.
        const bool is_by_column = frame.is_thinned;
        const bool are_rows_pairwise = !is_by_column || frame.truths.size() == 1;
        const bool are_columns_pairwise = is_by_column || frame.results.size() == 1;
        for (const Overlap& overlap : frame.overlaps) {
            of_truth[overlap.truth] += overlap.iou;
            of_result[overlap.result] += overlap.iou;
        }
        constexpr std::size_t few = 8;  // numbers that numpy adds one after the other
        if (are_rows_pairwise && frame.results.size() >= few) {
            sum_pairwise(frame, &Overlap::truth, &Overlap::result, frame.results.size(), of_truth);
        }
        if (are_columns_pairwise && frame.truths.size() >= few) {
            sum_pairwise(frame, &Overlap::result, &Overlap::truth, frame.truths.size(), of_result);
        }
    }

    std::vector<double> of_truth;
    std::vector<double> of_result;

  private:
    void sum_pairwise(const PreparedFrame& frame, std::uint32_t Overlap::*owner,
                      std::uint32_t Overlap::*position, std::size_t count, std::vector<double>& sums) {
        sorted_.assign(frame.overlaps.begin(), frame.overlaps.end());
        std::stable_sort(sorted_.begin(), sorted_.end(),
                         [owner](const Overlap& a, const Overlap& b) { return a.*owner < b.*owner; });
        for (std::size_t begin = 0; begin < sorted_.size();) {
            const std::uint32_t box = sorted_[begin].*owner;
            terms_.clear();
            for (; begin < sorted_.size() && sorted_[begin].*owner == box; ++begin)
                terms_.push_back({sorted_[begin].*position, sorted_[begin].iou});
            sums[box] = numpy_sum(terms_, 0, count);
        }
    }

    std::vector<Overlap> sorted_;
    std::vector<ArrayTerm> terms_;
};

/// How well two tracks fit over the whole video, by pair.
std::vector<double> alignment_of(const PreparedVideo& video) {
    std::vector<double> shared(video.pairs.size(), 0.0);
    OverlapSums sums;
    for (std::size_t i = 0; i < video.frames; ++i) {
        const PreparedFrame frame = frame_of(video, i);
        if (frame.overlaps.empty()) continue;
        sums.add_up(frame);
        for (const Overlap& overlap : frame.overlaps) {
            const double all = sums.of_result[overlap.result] + sums.of_truth[overlap.truth] - overlap.iou;
            if (all > hota_rounding) shared[overlap.pair] += overlap.iou / all;
        }
    }
    for (std::size_t i = 0; i < shared.size(); ++i) {
        const TrackPair& pair = video.pairs[i];
        const double boxes =
            static_cast<double>(video.truth_boxes[pair.truth]) + video.result_boxes[pair.result];
        shared[i] /= boxes - shared[i];
    }
    return shared;
}

/// Bit a is set if the IoU reaches hota_threshold(a).
std::uint32_t levels_of(double iou) {
    std::uint32_t levels = 0;
    for (std::size_t a = 0; a < hota_levels && iou >= hota_threshold(a) - hota_rounding; ++a)
        levels |= 1u << a;
    return levels;
}

std::vector<HotaMatch> match_once(const PreparedVideo& video) {
    const std::vector<double> alignment = alignment_of(video);
    std::vector<HotaMatch> matches;
    std::vector<WeightedPair> pairs;
    std::vector<std::uint32_t> origin;
    FrameAssignment assignment;
    for (std::size_t i = 0; i < video.frames; ++i) {
        const PreparedFrame frame = frame_of(video, i);
        pairs.clear();
        origin.clear();
        for (std::uint32_t k = 0; k < frame.overlaps.size(); ++k) {
            const Overlap& overlap = frame.overlaps[k];
            const double weight = alignment[overlap.pair] * overlap.iou;
            if (weight <= 0) continue;
            pairs.push_back({overlap.truth, overlap.result, weight});
            origin.push_back(k);
        }
        for (const std::uint32_t k : assignment.solve(pairs, frame.truths.size(), frame.results.size())) {
            const Overlap& overlap = frame.overlaps[origin[k]];
            const std::uint32_t levels = levels_of(overlap.iou);
            if (levels != 0)
                matches.push_back({static_cast<std::uint32_t>(i), overlap.pair, levels, overlap.iou});
        }
    }
    return matches;
}

/// The paper's ε: pairs first, then association, then overlap.
constexpr double hota_epsilon = 1e-5;

class LevelMatching {
  public:
    explicit LevelMatching(const PreparedVideo& video) : video_(video) {}

    /// Adds the level's bit to the overlaps that are pairs at it. \param levels parallel to the overlaps.
    void match(std::size_t level, std::vector<std::uint32_t>& levels) {
        const double least = hota_threshold(level) - hota_rounding;
        const std::vector<double> association = best_association(least);
        for (std::size_t i = 0; i < video_.frames; ++i) {
            const PreparedFrame frame = frame_of(video_, i);
            pairs_.clear();
            origin_.clear();
            for (std::size_t k = 0; k < frame.overlaps.size(); ++k) {
                const Overlap& overlap = frame.overlaps[k];
                if (overlap.iou < least) continue;
                const double weight =
                    1 / hota_epsilon + association[overlap.pair] + hota_epsilon * overlap.iou;
                pairs_.push_back({overlap.truth, overlap.result, weight});
                origin_.push_back(frame.first_overlap + k);
            }
            for (const std::uint32_t k :
                 assignment_.solve(pairs_, frame.truths.size(), frame.results.size())) {
                levels[origin_[k]] |= 1u << level;
            }
        }
    }

  private:
    /// The association of each pair if its tracks were one wherever they overlap enough.
    std::vector<double> best_association(double least) const {
        std::vector<double> shared(video_.pairs.size(), 0.0);
        for (const Overlap& overlap : video_.overlaps) {
            if (overlap.iou >= least) ++shared[overlap.pair];
        }
        for (std::size_t i = 0; i < shared.size(); ++i) {
            const TrackPair& pair = video_.pairs[i];
            const double boxes =
                static_cast<double>(video_.truth_boxes[pair.truth]) + video_.result_boxes[pair.result];
            shared[i] /= boxes - shared[i];
        }
        return shared;
    }

    const PreparedVideo& video_;
    FrameAssignment assignment_;
    std::vector<WeightedPair> pairs_;
    std::vector<std::size_t> origin_;
};

std::vector<HotaMatch> match_by_level(const PreparedVideo& video) {
    std::vector<std::uint32_t> levels(video.overlaps.size(), 0);
    LevelMatching matching(video);
    for (std::size_t a = 0; a < hota_levels; ++a) matching.match(a, levels);
    std::vector<HotaMatch> matches;
    for (std::size_t i = 0; i < video.frames; ++i) {
        const PreparedFrame frame = frame_of(video, i);
        for (std::size_t k = 0; k < frame.overlaps.size(); ++k) {
            const Overlap& overlap = frame.overlaps[k];
            const std::uint32_t bits = levels[frame.first_overlap + k];
            if (bits != 0)
                matches.push_back({static_cast<std::uint32_t>(i), overlap.pair, bits, overlap.iou});
        }
    }
    return matches;
}

void add_up_matches(const std::vector<HotaMatch>& matches, HotaNumbers& numbers) {
    for (std::size_t begin = 0; begin < matches.size();) {
        ByLevel of_frame{};
        std::size_t i = begin;
        for (; i < matches.size() && matches[i].frame == matches[begin].frame; ++i) {
            for (std::size_t a = 0; a < hota_levels; ++a) {
                if ((matches[i].levels >> a & 1) == 0) continue;
                of_frame[a] += matches[i].iou;
                ++numbers.tp[a];
            }
        }
        for (std::size_t a = 0; a < hota_levels; ++a) numbers.loc_a[a] += of_frame[a];
        begin = i;
    }
}

}  // namespace

HotaResult evaluate_hota(const PreparedVideo& video, TrackMode mode) {
    HotaResult result;
    HotaNumbers& numbers = result.numbers;
    const auto truths = static_cast<double>(video.truths.size());
    const auto results = static_cast<double>(video.results.size());
    if (video.truths.empty() || video.results.empty()) {
        numbers.fn.fill(truths);
        numbers.fp.fill(results);
        numbers.loc_a.fill(1.0);
        return result;
    }
    result.matches = mode == TrackMode::strict ? match_once(video) : match_by_level(video);
    add_up_matches(result.matches, numbers);
    std::vector<LevelCounts> counts(video.pairs.size());
    for (const HotaMatch& match : result.matches) {
        for (std::size_t a = 0; a < hota_levels; ++a) counts[match.pair][a] += match.levels >> a & 1;
    }
    associate(video.pairs, counts, video.truth_boxes, video.result_boxes, numbers);
    for (std::size_t a = 0; a < hota_levels; ++a) {
        numbers.fn[a] = truths - numbers.tp[a];
        numbers.fp[a] = results - numbers.tp[a];
        numbers.loc_a[a] = std::max(1e-10, numbers.loc_a[a]) / std::max(1e-10, numbers.tp[a]);
    }
    complete(numbers);
    return result;
}

}  // namespace fovea
