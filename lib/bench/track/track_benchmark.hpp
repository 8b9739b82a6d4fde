#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "lib/bench/track/flow_timing.hpp"
#include "lib/bench/track/track_timing.hpp"

namespace fovea {

/// The keys of the benchmark's parts: "times" (of frames) and "flow" (optical flow alone).
std::vector<std::string> track_benchmark_parts();

struct TrackBenchmarkRequest {
    std::vector<std::string> parts;  ///< keys
    std::size_t frames = 100;        ///< the most frames of the video that are used
    TimingPlan timing;
    FlowTimingPlan flow;
    TrackerOptions tracker;
};

/// Requests that take some minutes, or less than one.
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

    /// The times of following `points` points with the tracker's window, levels and iterations, or the
    /// largest that were measured; null if they were not measured.
    const FlowTimes* usual_flow(int points) const;
};

/// Reads at most `most` first frames of a video, turned for display and all of the first one's size.
/// \throws VideoError
std::vector<GreyImage> read_first_frames(const std::filesystem::path& video, std::size_t most);

/// Measures how faces are followed. \param frames at least two, of one size. \param means with the request's
/// tracker and the scores of with_track_scores(). \throws as time_tracking() and time_flow().
TrackBenchmark run_track_benchmark(const TrackBenchmarkRequest& request, const std::vector<GreyImage>& frames,
                                   const TimedMeans& means, const JobHooks& hooks);

}  // namespace fovea
