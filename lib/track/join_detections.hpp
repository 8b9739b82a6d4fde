#pragma once

#include <optional>
#include <span>
#include <vector>

#include "lib/core/types.hpp"
#include "lib/track/tracker_options.hpp"

namespace fovea {

/// A track as it waits for a detection.
struct ExpectedFace {
    Box box;
    bool is_lost = false;  ///< it is not followed any more; its box is the last one known
    /// Frames have changed size since: its box is scaled, and nothing was followed to it.
    bool is_resized = false;
};

/// The detections of a frame, joined to the tracks.
struct JoinedDetections {
    std::vector<std::optional<std::size_t>> detection_of;  ///< [track]
    std::vector<std::size_t> new_faces;                    ///< detections that begin tracks, rising
};

/// Joins detections to tracks one to one by the largest sum of overlaps (the Hungarian method), in two
/// rounds: first detections of at least min_score to all tracks, then weaker detections to followed tracks
/// without one. A strong detection that is left begins a track, unless its IoU with a joined detection
/// is above 0.5.
/// Source: Y. Zhang et al., "ByteTrack: multi-object tracking by associating every detection box", ECCV 2022,
/// algorithm 1.
JoinedDetections join_detections(std::span<const ExpectedFace> tracks, std::span<const Detection> detections,
                                 const TrackerOptions& options);

}  // namespace fovea
