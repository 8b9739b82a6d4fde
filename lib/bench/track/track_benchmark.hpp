#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "lib/bench/track/flow_timing.hpp"
#include "lib/bench/track/track_timing.hpp"

namespace fovea {

/// Parts of the benchmark: "times" (of the frames) and "flow" (alone).
std::vector<std::string> track_benchmark_parts();

struct TrackBenchmarkRequest {
    std::vector<std::string> parts;  ///< keys
    std::size_t frames = 100;        ///< of the video, at most
    TimingPlan timing;
    FlowTimingPlan flow;
    TrackerOptions tracker;
};

/// Plans of some minutes, or of less than one.
TrackBenchmarkRequest full_track_benchmark();
TrackBenchmarkRequest quick_track_benchmark();

/// All that `fovea bench track` measures.
struct TrackBenchmark {
    TrackBenchmarkRequest request;
    Size size;
    std::size_t frames = 0;
    std::vector<FrameTimes> times;
    std::vector<FlowTimes> flow;
    bool interrupted = false;

    /// The flow of so many points with the window, levels and iterations of the tracker, or with the largest
    /// that were measured; null if it was not measured.
    const FlowTimes* usual_flow(int points) const;
};

/// The first frames of a video, as people see them: at most so many, and all of the first one's size.
/// \throws VideoError
std::vector<GreyImage> read_first_frames(const std::filesystem::path& video, std::size_t most);

/// \param frames at least two, of one size. \param means with the request's tracker and scores for tracks
/// (with_track_scores). \throws as time_tracking and time_flow.
TrackBenchmark run_track_benchmark(const TrackBenchmarkRequest& request, const std::vector<GreyImage>& frames,
                                   const TimedMeans& means, const RunHooks& hooks);

}  // namespace fovea
