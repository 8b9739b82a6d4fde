#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/core/view.hpp"
#include "lib/core/types.hpp"
#include "lib/track/track_decision.hpp"

namespace fovea {

/// A frame for the tracker.
struct TrackerFrame {
    ImageView<const std::uint8_t> image;  ///< empty: unreadable
    /// Keeps the pixels as long as the tracker needs them.
    std::shared_ptr<const void> memory = {};
    /// Absent if no detector ran in the frame.
    std::optional<std::vector<Detection>> detections{};
};

/// A frame whose faces are final.
struct TrackedFrame {
    std::size_t place = 0;                ///< of the frame in its sequence, from 0
    ImageView<const std::uint8_t> image;  ///< valid during the call of FaceTracker::TakeFrames
    /// Sorted by rising `track`; details.followed is above 0 if the face was followed, not detected.
    std::vector<Detection> faces;
    /// The decisions on each track that had begun and not ended, by TrackDecision::face; empty unless
    /// FaceTracker::explain() was called.
    std::vector<TrackDecision> decisions{};
};

}  // namespace fovea
