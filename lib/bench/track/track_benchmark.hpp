#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lib/bench/track/flow_timing.hpp"
#include "lib/bench/track/track_study.hpp"
#include "lib/bench/track/track_timing.hpp"

namespace fovea {

/// Parts of the benchmark: "study" (accuracy), "times" (of the frames) and "flow" (alone).
std::vector<std::string> track_benchmark_parts();

struct TrackBenchmarkRequest {
    std::vector<std::string> parts;  ///< keys
    StudyPlan study;
    TimingPlan timing;
    FlowTimingPlan flow;
    TrackerOptions tracker;  ///< whose settings are varied one by one
    std::optional<int> crf;  ///< clips of the study are encoded and decoded at this rate factor
    std::optional<std::filesystem::path> keep;  ///< folder for the clips of the study and their truth
    std::filesystem::path work;                 ///< folder for encoded clips; needed with crf

    bool wants(const std::string& part) const;
};

/// Plans of some minutes, or of less than one.
TrackBenchmarkRequest full_track_benchmark();
TrackBenchmarkRequest quick_track_benchmark();

/// All that `fovea bench track` measures.
struct TrackBenchmark {
    TrackBenchmarkRequest request;
    std::size_t faces = 0;  ///< that were cut out
    std::size_t photos = 0;
    TrackStudy study;
    std::vector<FrameTimes> times;
    std::vector<FlowTimes> flow;
    bool interrupted = false;
};

/// \param on_cpu, timed with the request's tracker and scores for tracks (with_track_scores).
/// \throws as run_track_study, time_tracking and write_clip.
TrackBenchmark run_track_benchmark(const TrackBenchmarkRequest& request, const CutOuts& cut_outs,
                                   const TrackMeans& on_cpu, const TimedMeans& timed, const RunHooks& hooks);

}  // namespace fovea
