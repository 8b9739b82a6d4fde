#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lib/core/types.hpp"

namespace fovea {

/// How a true box counts in an evaluation of tracks.
enum class TruthUse : std::uint8_t {
    counts,
    ignored,  ///< neither to find nor a false positive when found: MOTChallenge's distractors
    left_out  ///< MOTChallenge's boxes with a confidence of 0: what is found there is a false positive
};

/// A box of a track in a frame.
struct TrackedBox {
    std::int64_t track = 0;
    Box box;                          ///< finite
    TruthUse use = TruthUse::counts;  ///< of a true box
};

/// The boxes of a video, frame by frame, in the order of their file.
class BoxesByFrame {
  public:
    std::size_t frames() const { return ends_.size(); }
    std::size_t size() const { return boxes_.size(); }
    std::span<const TrackedBox> frame(std::size_t frame) const {
        const std::size_t begin = frame == 0 ? 0 : ends_[frame - 1];
        return std::span(boxes_).subspan(begin, ends_[frame] - begin);
    }
    /// Adds to the last frame.
    void add(const TrackedBox& box) {
        boxes_.push_back(box);
        ++ends_.back();
    }
    void begin_frame() { ends_.push_back(boxes_.size()); }

  private:
    std::vector<TrackedBox> boxes_;
    std::vector<std::size_t> ends_;
};

/// A video with its true tracks and those of a tracker. A track has one box in a frame at most.
struct TrackVideo {
    std::string name;
    BoxesByFrame truth;
    BoxesByFrame results;               ///< as many frames
    std::vector<std::int64_t> numbers;  ///< of the frames, from 0; empty: their places
};

/// The overlap of a true box and one of a result in a frame, above 0.
struct Overlap {
    std::uint32_t truth = 0;   ///< its place in the frame
    std::uint32_t result = 0;  ///< its place in the frame
    std::uint32_t pair = 0;    ///< PreparedVideo::pairs
    double iou = 0;            ///< intersection over union
};

/// A true track and one of a result that overlap in a frame or more.
struct TrackPair {
    std::uint32_t truth = 0;
    std::uint32_t result = 0;

    friend auto operator<=>(const TrackPair&, const TrackPair&) = default;
};

/// A video ready to be evaluated: only boxes that count, tracks numbered from 0 by rising number.
struct PreparedVideo {
    std::string name;
    std::size_t frames = 0;
    std::vector<std::int64_t> truth_tracks;   ///< the numbers that they had
    std::vector<std::int64_t> result_tracks;  ///< the numbers that they had
    std::vector<std::uint32_t> truth_boxes;   ///< in how many frames each track is
    std::vector<std::uint32_t> result_boxes;  ///< in how many frames each track is
    std::vector<TrackPair> pairs;             ///< rising
    std::vector<std::uint32_t> truths;        ///< the tracks of the boxes, frame by frame
    std::vector<std::uint32_t> results;       ///< the tracks of the boxes, frame by frame
    std::vector<Overlap> overlaps;            ///< frame by frame, by rising truth and result
    std::vector<std::size_t> truths_end;      ///< by frame
    std::vector<std::size_t> results_end;     ///< by frame
    std::vector<std::size_t> overlaps_end;    ///< by frame
    /// A flag for each frame: boxes of results were removed. numpy then sums the overlaps in another order.
    std::vector<char> is_thinned;
};

/// The view of a frame of a PreparedVideo.
struct PreparedFrame {
    std::span<const std::uint32_t> truths;   ///< the track of each true box
    std::span<const std::uint32_t> results;  ///< the track of each box of the results
    std::span<const Overlap> overlaps;
    std::size_t first_overlap = 0;  ///< its index in PreparedVideo::overlaps
    bool is_thinned = false;
};

PreparedFrame frame_of(const PreparedVideo& video, std::size_t frame);

/// Finds overlaps, removes the boxes of results that lie on ignored ones, and numbers tracks.
///
/// Ignored boxes are removed as TrackEval 1.3.0 does (MotChallenge2DBox): in each frame true boxes of every
/// use and results are paired so that the sum of the IoUs of at least 0.5 is largest; results whose partner
/// is ignored are removed. IoUs have TrackEval's arithmetic; those with a box without area are 0.
/// \throws Error if a track has two boxes in a frame.
PreparedVideo prepare_video(const TrackVideo& video);

}  // namespace fovea
