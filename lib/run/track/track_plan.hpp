#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lib/json/json.hpp"
#include "lib/run/track/frame_sequence.hpp"
#include "lib/run/track/sequence_run.hpp"
#include "lib/run/track/track_job.hpp"

namespace fovea {

/// A sequence that a job goes through.
struct PlannedSequence {
    FrameSequence frames;
    std::size_t number = 0;           ///< among the sequences of the whole list
    std::string stem;                 ///< sequence_stems()
    std::filesystem::path annotated;  ///< the video with the faces drawn in; empty: none is wanted
};

/// The decisions about a job before anything is written.
struct TrackPlan {
    bool on_gpu = false;
    std::vector<PlannedSequence> sequences;  ///< a shard has its own
    std::optional<BoxRule> boxes;            ///< nothing without a landmarker
    TrackingRules rules;
    DetectImagesOptions reading;  ///< plan_reading()
    Json work;                    ///< as result_fingerprint()
    Json description;             ///< as job_fingerprint()
};

/// Plans a job, and adds its inputs to those of its folder. \throws UsageError for what cannot be done
TrackPlan plan_track_job(const TrackJob& job);

}  // namespace fovea
