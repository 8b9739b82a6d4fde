#include <algorithm>
#include <limits>
#include <unordered_map>

#include "lib/core/box_index.hpp"
#include "lib/core/error.hpp"
#include "lib/evaluate/tracks/frame_assignment.hpp"
#include "lib/evaluate/tracks/track_video.hpp"

namespace fovea {
namespace {

constexpr double rounding = std::numeric_limits<double>::epsilon();
constexpr double distractor_iou = 0.5;
/// Pairs of boxes beyond which an index is faster than a look at all of them.
constexpr std::size_t many_pairs = 2048;

/// TrackEval computes it so: corners first, then areas of these.
struct Corners {
    double left, top, right, bottom, area;

    explicit Corners(const Box& box)
        : left(box.x),
          top(box.y),
          right(box.x + box.w),
          bottom(box.y + box.h),
          area((right - left) * (bottom - top)) {}
};

double track_iou(const Corners& a, const Corners& b) {
    const double width = std::max(std::min(a.right, b.right) - std::max(a.left, b.left), 0.0);
    const double height = std::max(std::min(a.bottom, b.bottom) - std::max(a.top, b.top), 0.0);
    const double intersection = width * height;
    const double joined = a.area + b.area - intersection;
    if (a.area <= rounding || b.area <= rounding || joined <= rounding) return 0;
    return intersection / joined;
}

/// The boxes of one frame, with their overlaps.
class FrameOverlaps {
  public:
    void find(std::span<const TrackedBox> truth, std::span<const TrackedBox> results) {
        overlaps.clear();
        if (truth.empty() || results.empty()) return;
        corners_.clear();
        for (const TrackedBox& box : results) corners_.emplace_back(box.box);
        if (truth.size() * results.size() > many_pairs) {
            find_many(truth, results);
            return;
        }
        for (std::size_t i = 0; i < truth.size(); ++i) {
            const Corners corners(truth[i].box);
            for (std::size_t k = 0; k < results.size(); ++k) add(i, corners, k);
        }
    }

    std::vector<Overlap> overlaps;

  private:
    void find_many(std::span<const TrackedBox> truth, std::span<const TrackedBox> results) {
        std::vector<Box> boxes;
        for (const TrackedBox& box : results) boxes.push_back(box.box);
        const BoxIndex index(boxes);
        for (std::size_t i = 0; i < truth.size(); ++i) {
            const Corners corners(truth[i].box);
            index.visit_touching(truth[i].box, [&](std::size_t k) { add(i, corners, k); });
        }
    }

    void add(std::size_t truth, const Corners& corners, std::size_t result) {
        const double iou = track_iou(corners, corners_[result]);
        if (iou > 0)
            overlaps.push_back(
                {static_cast<std::uint32_t>(truth), static_cast<std::uint32_t>(result), 0, iou});
    }

    std::vector<Corners> corners_;
};

/// Numbers of tracks by rising number.
class TrackNumbering {
  public:
    void add(std::int64_t track) { places_.try_emplace(track, 0); }

    std::vector<std::int64_t> number() {
        std::vector<std::int64_t> tracks;
        tracks.reserve(places_.size());
        for (const auto& [track, place] : places_) tracks.push_back(track);
        std::sort(tracks.begin(), tracks.end());
        for (std::size_t i = 0; i < tracks.size(); ++i) places_[tracks[i]] = static_cast<std::uint32_t>(i);
        return tracks;
    }

    std::uint32_t place(std::int64_t track) const { return places_.find(track)->second; }

  private:
    std::unordered_map<std::int64_t, std::uint32_t> places_;
};

void require_single_boxes(const TrackVideo& video, const BoxesByFrame& boxes, const char* whose) {
    std::vector<std::int64_t> tracks;
    for (std::size_t frame = 0; frame < boxes.frames(); ++frame) {
        tracks.clear();
        for (const TrackedBox& box : boxes.frame(frame)) tracks.push_back(box.track);
        std::sort(tracks.begin(), tracks.end());
        const auto twice = std::adjacent_find(tracks.begin(), tracks.end());
        if (twice == tracks.end()) continue;
        throw Error("In '" + video.name + "', frame " + std::to_string(frame + 1) + ", " + whose + " track " +
                    std::to_string(*twice) + " has two boxes; a track has one box in a frame at most.");
    }
}

class Preparation {
  public:
    explicit Preparation(const TrackVideo& video) : video_(video) {
        prepared_.name = video.name;
        prepared_.frames = video.truth.frames();
    }

    PreparedVideo run() {
        for (std::size_t frame = 0; frame < prepared_.frames; ++frame) add_frame(frame);
        number_tracks();
        number_pairs();
        return std::move(prepared_);
    }

  private:
    void add_frame(std::size_t frame) {
        const std::span<const TrackedBox> truth = video_.truth.frame(frame);
        const std::span<const TrackedBox> results = video_.results.frame(frame);
        overlaps_.find(truth, results);
        mark_removed(truth, results.size());
        keep(truth, results);
    }

    void mark_removed(std::span<const TrackedBox> truth, std::size_t results) {
        is_removed_.assign(results, 0);
        const auto is_ignored = [](const TrackedBox& box) { return box.use == TruthUse::ignored; };
        if (std::none_of(truth.begin(), truth.end(), is_ignored)) return;
        weighted_.clear();
        for (const Overlap& overlap : overlaps_.overlaps) {
            if (overlap.iou >= distractor_iou - rounding)
                weighted_.push_back({overlap.truth, overlap.result, overlap.iou});
        }
        for (const std::uint32_t i : assignment_.solve(weighted_, truth.size(), results)) {
            if (is_ignored(truth[weighted_[i].row])) is_removed_[weighted_[i].column] = 1;
        }
    }

    void keep(std::span<const TrackedBox> truth, std::span<const TrackedBox> results) {
        constexpr std::uint32_t gone = std::numeric_limits<std::uint32_t>::max();
        truth_place_.assign(truth.size(), gone);
        result_place_.assign(results.size(), gone);
        std::uint32_t count = 0;
        for (std::size_t i = 0; i < truth.size(); ++i) {
            if (truth[i].use != TruthUse::counts) continue;
            truth_place_[i] = count++;
            truths_.push_back(truth[i].track);
        }
        count = 0;
        for (std::size_t i = 0; i < results.size(); ++i) {
            if (is_removed_[i]) continue;
            result_place_[i] = count++;
            results_.push_back(results[i].track);
        }
        for (const Overlap& overlap : overlaps_.overlaps) {
            const std::uint32_t place = truth_place_[overlap.truth];
            const std::uint32_t result = result_place_[overlap.result];
            if (place != gone && result != gone)
                prepared_.overlaps.push_back({place, result, 0, overlap.iou});
        }
        prepared_.truths_end.push_back(truths_.size());
        prepared_.results_end.push_back(results_.size());
        prepared_.overlaps_end.push_back(prepared_.overlaps.size());
        prepared_.is_thinned.push_back(count < results.size());
    }

    static std::vector<std::int64_t> number(const std::vector<std::int64_t>& boxes,
                                            std::vector<std::uint32_t>& places,
                                            std::vector<std::uint32_t>& counts) {
        TrackNumbering numbers;
        for (const std::int64_t track : boxes) numbers.add(track);
        std::vector<std::int64_t> tracks = numbers.number();
        counts.assign(tracks.size(), 0);
        places.reserve(boxes.size());
        for (const std::int64_t track : boxes) {
            places.push_back(numbers.place(track));
            ++counts[places.back()];
        }
        return tracks;
    }

    void number_tracks() {
        prepared_.truth_tracks = number(truths_, prepared_.truths, prepared_.truth_boxes);
        prepared_.result_tracks = number(results_, prepared_.results, prepared_.result_boxes);
    }

    void number_pairs() {
        std::unordered_map<std::uint64_t, std::uint32_t> place_of;
        std::vector<std::uint64_t> keys;
        for (std::size_t frame = 0; frame < prepared_.frames; ++frame) {
            const PreparedFrame view = frame_of(prepared_, frame);
            for (std::size_t i = 0; i < view.overlaps.size(); ++i) {
                const Overlap& overlap = view.overlaps[i];
                const std::uint64_t key =
                    std::uint64_t{view.truths[overlap.truth]} << 32 | view.results[overlap.result];
                const auto [place, is_new] =
                    place_of.try_emplace(key, static_cast<std::uint32_t>(keys.size()));
                if (is_new) keys.push_back(key);
                prepared_.overlaps[view.first_overlap + i].pair = place->second;
            }
        }
        std::vector<std::uint64_t> rising = keys;
        std::sort(rising.begin(), rising.end());
        for (std::size_t i = 0; i < rising.size(); ++i) {
            place_of[rising[i]] = static_cast<std::uint32_t>(i);
            prepared_.pairs.push_back(
                {static_cast<std::uint32_t>(rising[i] >> 32), static_cast<std::uint32_t>(rising[i])});
        }
        for (Overlap& overlap : prepared_.overlaps) overlap.pair = place_of[keys[overlap.pair]];
    }

    const TrackVideo& video_;
    PreparedVideo prepared_;
    FrameOverlaps overlaps_;
    FrameAssignment assignment_;
    std::vector<WeightedPair> weighted_;
    std::vector<char> is_removed_;
    std::vector<std::uint32_t> truth_place_;
    std::vector<std::uint32_t> result_place_;
    std::vector<std::int64_t> truths_;  // the tracks of the boxes that count, as they were numbered
    std::vector<std::int64_t> results_;
};

}  // namespace

PreparedFrame frame_of(const PreparedVideo& video, std::size_t frame) {
    const auto part = [frame](const auto& all, const std::vector<std::size_t>& ends) {
        const std::size_t begin = frame == 0 ? 0 : ends[frame - 1];
        return std::span(all).subspan(begin, ends[frame] - begin);
    };
    PreparedFrame view;
    view.truths = part(video.truths, video.truths_end);
    view.results = part(video.results, video.results_end);
    view.overlaps = part(video.overlaps, video.overlaps_end);
    view.first_overlap = frame == 0 ? 0 : video.overlaps_end[frame - 1];
    view.is_thinned = video.is_thinned[frame] != 0;
    return view;
}

PreparedVideo prepare_video(const TrackVideo& video) {
    require_single_boxes(video, video.truth, "the true");
    require_single_boxes(video, video.results, "the results'");
    return Preparation(video).run();
}

}  // namespace fovea
