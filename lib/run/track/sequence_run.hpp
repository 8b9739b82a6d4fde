#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lib/image/gpu_images.hpp"
#include "lib/run/track/person_memory.hpp"
#include "lib/run/track/sequence_tracker.hpp"
#include "lib/run/track/track_files.hpp"
#include "lib/run/track/track_summary.hpp"
#include "lib/run/track/tracking_lane.hpp"

namespace fovea {

/// The rules of a job and its detector's options, with score limits filled in (set_tracking_scores).
struct TrackingRules {
    TrackConfig tracking;
    DetectorOptions detection;
    std::optional<LandmarkStage> landmarks;  ///< nothing: faces have none
    /// Describes faces for a gallery, or to know persons again; nothing: neither is wanted.
    std::optional<RecogniserConfig> recogniser;
};

/// One sequence on its way from frames to files.
class SequenceRun {
  public:
    /// All references must outlive this. \param note is told of each frame that is written.
    SequenceRun(const TrackingRules& rules, TrackingLane& lane, const ImageList& frames, std::string name,
                SequenceFiles& files, std::function<void(const ImageResult&)> note);

    /// Follows the sequence. \return the tracks, in the order of their numbers. \throws what
    /// SequenceTracker::run throws; AppendError
    std::vector<TrackSummary> go(FramePieces& pieces, const std::atomic<bool>* cancel);

  private:
    int number_of(const Track& track, const ImageView<const std::uint8_t>& image,
                  const std::set<int>& in_use);
    void take(FinishedFrame& finished);
    void keep_best_faces(const ImageResult& frame, const ImageView<const std::uint8_t>& view);

    const TrackingRules& rules_;
    TrackingLane& lane_;
    const ImageList& frames_;
    SequenceFiles& files_;
    std::function<void(const ImageResult&)> note_;
    TrackGatherer gatherer_;
    const FaceDescriber* describer_ = nullptr;
    std::optional<PersonMemory> persons_;
    HostCopy host_copy_;
    int last_number_ = 0;
    std::size_t place_ = 0;  // of the next frame in its sequence
};

}  // namespace fovea
