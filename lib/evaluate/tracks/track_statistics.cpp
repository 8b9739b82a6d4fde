#include "lib/evaluate/tracks/track_statistics.hpp"

#include <algorithm>
#include <utility>

#include "lib/evaluate/statistics/time_blocks.hpp"
#include "lib/evaluate/tracks/association.hpp"

namespace fovea {
namespace {

std::vector<Quantity> track_quantity_list() {
    std::vector<Quantity> list;
    for (const Number& estimate : track_estimates({})) list.push_back(estimate.quantity);
    return list;
}

void put_values(const TrackNumbers& numbers, std::span<double> values) {
    const std::vector<TrackQuantity>& quantities = track_quantities();
    for (std::size_t i = 0; i < quantities.size(); ++i) values[i] = quantities[i].value(numbers);
}

class VideoStatistics : public BootstrapStatistics {
  public:
    explicit VideoStatistics(const std::vector<VideoEvaluation>& videos) {
        for (const VideoEvaluation& video : videos) numbers_.push_back(video.numbers);
    }

    std::size_t units() const override { return numbers_.size(); }
    const std::vector<Quantity>& quantities() const override { return quantities_; }
    void evaluate(Weights weights, std::span<double> values) const override {
        put_values(combine(numbers_, weights), values);
    }

  private:
    std::vector<Quantity> quantities_ = track_quantity_list();
    std::vector<TrackNumbers> numbers_;
};

/// A number of something in a block.
struct BlockCount {
    std::uint32_t item = 0;
    std::uint32_t count = 0;
};

/// The sums over a block of frames.
struct TrackBlock {
    ByLevel tp{}, iou_sum{};
    double switches = 0, fragments = 0, clear_tp = 0, clear_iou_sum = 0;
    double truths = 0, results = 0, frames = 0;
    std::vector<BlockCount> truth_boxes;   // by true track
    std::vector<BlockCount> result_boxes;  // by track of the results
    std::vector<BlockCount> clear_found;   // by true track
    std::vector<BlockCount> identities;    // by pair
    std::vector<std::pair<std::uint32_t, LevelCounts>> pairs;
};

/// Counts of few of many things.
class SparseCounter {
  public:
    explicit SparseCounter(std::size_t items) : counts_(items, 0) {}
    void add(std::uint32_t item) {
        if (counts_[item]++ == 0) items_.push_back(item);
    }
    std::vector<BlockCount> take() {
        std::sort(items_.begin(), items_.end());
        std::vector<BlockCount> counts;
        for (const std::uint32_t item : items_) counts.push_back({item, std::exchange(counts_[item], 0u)});
        items_.clear();
        return counts;
    }

  private:
    std::vector<std::uint32_t> counts_;
    std::vector<std::uint32_t> items_;
};

class BlockStatistics : public BootstrapStatistics {
  public:
    BlockStatistics(const VideoEvaluation& video, const TrackEvaluationOptions& options)
        : mode_(options.mode),
          pairs_(video.prepared.pairs),
          truth_tracks_(video.prepared.truth_tracks.size()),
          result_tracks_(video.prepared.result_tracks.size()),
          blocks_(time_blocks(video.prepared.frames)) {
        const std::size_t frames = video.prepared.frames;
        block_of_.resize(frames);
        for (std::size_t i = 0; i < frames; ++i) block_of_[i] = time_block_of(i, frames, blocks_.size());
        fill_boxes(video.prepared, options);
        fill_hota(video.hota_matches);
        fill_clear(video.clear_matches);
    }

    std::size_t units() const override { return blocks_.size(); }
    const std::vector<Quantity>& quantities() const override { return quantities_; }

    void evaluate(Weights weights, std::span<double> values) const override {
        Sums sums(pairs_.size(), truth_tracks_, result_tracks_);
        for (std::size_t b = 0; b < blocks_.size(); ++b) {
            if (weights[b] != 0) sums.add(blocks_[b], weights[b]);
        }
        TrackNumbers& numbers = sums.numbers;
        associate(pairs_, sums.pair_counts, sums.truth_boxes, sums.result_boxes, numbers.hota);
        for (std::size_t a = 0; a < hota_levels; ++a) {
            numbers.hota.fn[a] = sums.truths - numbers.hota.tp[a];
            numbers.hota.fp[a] = sums.results - numbers.hota.tp[a];
            numbers.hota.loc_a[a] =
                std::max(1e-10, numbers.hota.loc_a[a]) / std::max(1e-10, numbers.hota.tp[a]);
        }
        numbers.clear.fn = sums.truths - numbers.clear.tp;
        numbers.clear.fp = sums.results - numbers.clear.tp;
        count_tracked(sums.clear_found, sums.truth_boxes, mode_, numbers.clear);
        numbers.identity.tp =
            static_cast<double>(best_identity(pairs_, sums.identities, truth_tracks_, result_tracks_));
        numbers.identity.fn = sums.truths - numbers.identity.tp;
        numbers.identity.fp = sums.results - numbers.identity.tp;
        complete(numbers.hota);
        complete(numbers.clear);
        complete(numbers.identity);
        put_values(numbers, values);
    }

  private:
    struct Sums {
        Sums(std::size_t pairs, std::size_t truth_tracks, std::size_t result_tracks)
            : pair_counts(pairs),
              identities(pairs, 0),
              truth_boxes(truth_tracks, 0),
              clear_found(truth_tracks, 0),
              result_boxes(result_tracks, 0) {}

        void add(const TrackBlock& block, std::uint32_t weight) {
            for (std::size_t a = 0; a < hota_levels; ++a) {
                numbers.hota.tp[a] += weight * block.tp[a];
                numbers.hota.loc_a[a] += weight * block.iou_sum[a];
            }
            numbers.clear.tp += weight * block.clear_tp;
            numbers.clear.iou_sum += weight * block.clear_iou_sum;
            numbers.clear.switches += weight * block.switches;
            numbers.clear.fragments += weight * block.fragments;
            numbers.clear.frames += weight * block.frames;
            truths += weight * block.truths;
            results += weight * block.results;
            add(block.truth_boxes, weight, truth_boxes);
            add(block.result_boxes, weight, result_boxes);
            add(block.clear_found, weight, clear_found);
            add(block.identities, weight, identities);
            for (const auto& [pair, counts] : block.pairs) {
                for (std::size_t a = 0; a < hota_levels; ++a) pair_counts[pair][a] += weight * counts[a];
            }
        }

        static void add(const std::vector<BlockCount>& counts, std::uint32_t weight,
                        std::vector<std::uint32_t>& sums) {
            for (const BlockCount& count : counts) sums[count.item] += weight * count.count;
        }

        TrackNumbers numbers;
        double truths = 0, results = 0;
        std::vector<LevelCounts> pair_counts;
        std::vector<std::uint32_t> identities;
        std::vector<std::uint32_t> truth_boxes;
        std::vector<std::uint32_t> clear_found;
        std::vector<std::uint32_t> result_boxes;
    };

    void fill_boxes(const PreparedVideo& video, const TrackEvaluationOptions& options) {
        SparseCounter truths(truth_tracks_), results(result_tracks_), identities(pairs_.size());
        for (std::size_t i = 0; i < video.frames; ++i) {
            const PreparedFrame frame = frame_of(video, i);
            TrackBlock& block = blocks_[block_of_[i]];
            for (const std::uint32_t track : frame.truths) truths.add(track);
            for (const std::uint32_t track : frame.results) results.add(track);
            for (const Overlap& overlap : frame.overlaps) {
                if (is_identity(overlap.iou, options.iou_threshold, options.mode))
                    identities.add(overlap.pair);
            }
            block.truths += static_cast<double>(frame.truths.size());
            block.results += static_cast<double>(frame.results.size());
            ++block.frames;
            if (i + 1 < video.frames && block_of_[i + 1] == block_of_[i]) continue;
            block.truth_boxes = truths.take();
            block.result_boxes = results.take();
            block.identities = identities.take();
        }
    }

    void fill_hota(const std::vector<HotaMatch>& matches) {
        std::vector<std::uint32_t> place(pairs_.size());
        for (std::size_t begin = 0; begin < matches.size();) {
            const std::size_t b = block_of_[matches[begin].frame];
            TrackBlock& block = blocks_[b];
            for (; begin < matches.size() && block_of_[matches[begin].frame] == b; ++begin) {
                const HotaMatch& match = matches[begin];
                std::uint32_t& known = place[match.pair];
                const bool is_known = known < block.pairs.size() && block.pairs[known].first == match.pair;
                if (!is_known) {
                    known = static_cast<std::uint32_t>(block.pairs.size());
                    block.pairs.emplace_back(match.pair, LevelCounts{});
                }
                for (std::size_t a = 0; a < hota_levels; ++a) {
                    if ((match.levels >> a & 1) == 0) continue;
                    ++block.tp[a];
                    block.iou_sum[a] += match.iou;
                    ++block.pairs[known].second[a];
                }
            }
        }
    }

    void fill_clear(const std::vector<ClearMatch>& matches) {
        SparseCounter found(truth_tracks_);
        for (std::size_t begin = 0; begin < matches.size();) {
            const std::size_t b = block_of_[matches[begin].frame];
            TrackBlock& block = blocks_[b];
            for (; begin < matches.size() && block_of_[matches[begin].frame] == b; ++begin) {
                const ClearMatch& match = matches[begin];
                found.add(pairs_[match.pair].truth);
                ++block.clear_tp;
                block.clear_iou_sum += match.iou;
                block.switches += match.is_switch ? 1 : 0;
                block.fragments += match.is_resumed ? 1 : 0;
            }
            block.clear_found = found.take();
        }
    }

    TrackMode mode_;
    std::vector<TrackPair> pairs_;
    std::size_t truth_tracks_;
    std::size_t result_tracks_;
    std::vector<TrackBlock> blocks_;
    std::vector<std::size_t> block_of_;  // by frame
    std::vector<Quantity> quantities_ = track_quantity_list();
};

}  // namespace

std::shared_ptr<const BootstrapStatistics> statistics_of_videos(const std::vector<VideoEvaluation>& videos) {
    return std::make_shared<VideoStatistics>(videos);
}

std::shared_ptr<const BootstrapStatistics> statistics_of_blocks(const VideoEvaluation& video,
                                                                const TrackEvaluationOptions& options) {
    return std::make_shared<BlockStatistics>(video, options);
}

}  // namespace fovea
