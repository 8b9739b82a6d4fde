#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "lib/core/types.hpp"
#include "lib/track/box_follower.hpp"
#include "lib/track/join_detections.hpp"
#include "lib/track/track.hpp"

namespace fovea {

/// Why the detector runs in a frame.
enum class DetectorRun {
    none,    ///< it does not
    turn,    ///< see DetectorRhythm
    search,  ///< it looks for a face at once
    cut,     ///< the frame shows another scene than the one before
};

/// The detection that a track goes on with, or begins with.
struct DecidedDetection {
    Detection detection;
    /// Nothing: the track begins with it, or was reached on the way back from it.
    std::optional<JoinedDetection> joined{};
};

/// All that was decided on a track in a frame.
struct TrackDecision {
    int face = 0;    ///< the number of the track among all that have begun, from 1
    int number = 0;  ///< Track::number; 0: it never counts
    DetectorRun detector = DetectorRun::none;
    std::optional<Box> expected{};   ///< by its motion; nothing in its first frame
    std::optional<MovedBox> flow{};  ///< nothing: it was not followed into the frame
    std::optional<DecidedDetection> detected{};
    Track::State state = Track::State::followed;  ///< after the frame
    /// It was lost, even if it was found in the same frame, or has ended; empty: neither.
    std::string_view why{};
};

}  // namespace fovea
