#pragma once

#include <cstdint>
#include <vector>

#include "lib/evaluate/tracks/track_numbers.hpp"
#include "lib/evaluate/tracks/track_video.hpp"

namespace fovea {

/// A true box and one of a result that were paired in a frame.
struct HotaMatch {
    std::uint32_t frame = 0;
    std::uint32_t pair = 0;    ///< PreparedVideo::pairs
    std::uint32_t levels = 0;  ///< bit a: it counts at hota_threshold(a)
    double iou = 0;
};

struct HotaResult {
    HotaNumbers numbers;
    std::vector<HotaMatch> matches;  ///< by rising frame
};

/// HOTA of a video.
///
/// Strict: boxes of a frame are paired once for all thresholds, so that the sum of IoU times the alignment of
/// their tracks is largest; pairs below a threshold are removed afterwards. Corrected: boxes are paired for
/// each threshold, as the paper says (section 5.1): most pairs first, then association, then overlap.
HotaResult evaluate_hota(const PreparedVideo& video, TrackMode mode);

/// A true box that CLEAR pairs with one of a result.
struct ClearMatch {
    std::uint32_t frame = 0;
    std::uint32_t pair = 0;  ///< PreparedVideo::pairs
    double iou = 0;
    bool is_switch = false;   ///< another track than the last one that the true track had
    bool is_resumed = false;  ///< the true track was lost before
};

struct ClearResult {
    ClearNumbers numbers;
    std::vector<ClearMatch> matches;  ///< by rising frame
};

/// CLEAR of a video. \param threshold the least IoU of a pair, in (0, 1].
ClearResult evaluate_clear(const PreparedVideo& video, double threshold, TrackMode mode);

/// Counts MT, PT and ML in a mode. \param matched, present number of frames in which each true track is
/// paired, and in which it is there.
void count_tracked(std::span<const std::uint32_t> matched, std::span<const std::uint32_t> present,
                   TrackMode mode, ClearNumbers& numbers);

/// True if an IoU lets a pair of tracks be one identity in a frame. Strict: TrackEval allows no rounding
/// error here.
bool is_identity(double iou, double threshold, TrackMode mode);

/// The number of frames in which each pair of tracks could be one identity: parallel to PreparedVideo::pairs.
std::vector<std::uint32_t> identity_frames(const PreparedVideo& video, double threshold, TrackMode mode);

/// The largest sum of identity_frames() over a one-to-one choice of pairs.
std::int64_t best_identity(std::span<const TrackPair> pairs, std::span<const std::uint32_t> frames,
                           std::size_t truth_tracks, std::size_t result_tracks);

/// Identity of a video: the one-to-one choice of tracks with most identity_frames().
IdentityNumbers evaluate_identity(const PreparedVideo& video, double threshold, TrackMode mode);

/// Counts the frames, boxes and tracks of a video.
TrackCounts count_tracks(const PreparedVideo& video);

}  // namespace fovea
