#pragma once

#include <optional>
#include <span>
#include <vector>

#include "lib/core/types.hpp"
#include "lib/track/box_motion.hpp"
#include "lib/track/tracker_options.hpp"

namespace fovea {

/// A track as it waits for a detection.
struct ExpectedFace {
    /// Its box in the frame if it is followed, else the last one known.
    Box box;
    bool is_lost = false;
    /// Frames have changed size since: its box is scaled, and nothing was followed to it.
    bool is_resized = false;
    /// Its motion up to its last place, and up to its last detection.
    const BoxMotion* motion = nullptr;
    const BoxMotion* detected_motion = nullptr;
};

/// The rounds of join_detections().
enum class JoinRound { overlap, weak, motion, alone };
constexpr bool is_by_overlap(JoinRound round) {
    return round == JoinRound::overlap || round == JoinRound::weak;
}

/// A detection that a track is joined to.
struct JoinedDetection {
    std::size_t detection = 0;
    JoinRound round = JoinRound::overlap;
    /// IoU in the first two rounds, BoxMotion::distance() in the others.
    double measure = 0;
};

/// The detections of a frame, joined to the tracks.
struct JoinedDetections {
    std::vector<std::optional<JoinedDetection>> joined_to;  ///< [track]
    std::vector<std::size_t> new_faces;                     ///< detections that begin tracks, rising
};

/// Joins detections to tracks one to one by the largest sum of weights (the Hungarian method), in four
/// rounds: detections of at least min_score to all tracks by overlap; weaker ones to tracks without one, if
/// they overlap more; strong ones to the tracks that are left by how far they are from the expected motion;
/// and those that are farther, if a track and a detection have no other choice than each other. A strong
/// detection that is left begins a track, unless its IoU with a joined detection is above 0.5. Source: Y.
/// Zhang et al., "ByteTrack: multi-object tracking by associating every detection box", ECCV 2022, algorithm
/// 1, for the first two rounds. Motion from the last detection on, which flow has not misled, is the recovery
/// of OC-SORT (J. Cao et al., "Observation-centric SORT", CVPR 2023).
JoinedDetections join_detections(std::span<const ExpectedFace> tracks, std::span<const Detection> detections,
                                 std::size_t frame, const TrackerOptions& options);

}  // namespace fovea
