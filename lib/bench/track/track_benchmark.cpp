#include "lib/bench/track/track_benchmark.hpp"

#include <algorithm>

#include "lib/core/job_hooks.hpp"
#include "lib/video/index_video.hpp"
#include "lib/video/video_frames.hpp"

namespace fovea {
namespace {

constexpr const char* times_key = "times";
constexpr const char* flow_key = "flow";

bool contains(const std::vector<std::string>& parts, const char* part) {
    return std::find(parts.begin(), parts.end(), part) != parts.end();
}

/// The tracker's value if it was measured, else the largest.
int usual_of(const std::vector<int>& measured, int usual) {
    const bool is_there = std::find(measured.begin(), measured.end(), usual) != measured.end();
    return is_there || measured.empty() ? usual : *std::max_element(measured.begin(), measured.end());
}

}  // namespace

std::vector<std::string> track_benchmark_parts() {
    return {times_key, flow_key};
}

TrackBenchmarkRequest full_track_benchmark() {
    TrackBenchmarkRequest request;
    request.parts = track_benchmark_parts();
    return request;
}

TrackBenchmarkRequest quick_track_benchmark() {
    TrackBenchmarkRequest request = full_track_benchmark();
    request.frames = 40;
    request.timing.redetects = {10};
    request.timing.repeat = 1;
    request.flow.points = {68, 500};
    request.flow.windows = {21};
    request.flow.levels = {1, 4};
    request.flow.iterations = {30};
    request.flow.repeat = 3;
    return request;
}

const FlowTimes* TrackBenchmark::usual_flow(int points) const {
    const int window = usual_of(request.flow.windows, request.tracker.flow_window);
    const int levels = usual_of(request.flow.levels, request.tracker.flow_levels);
    const int iterations = usual_of(request.flow.iterations, request.tracker.flow_iterations);
    const auto found = std::find_if(flow.begin(), flow.end(), [&](const FlowTimes& of) {
        return of.points == points && of.window == window && of.levels == levels &&
               of.iterations == iterations && !of.fovea_ms.empty();
    });
    return found == flow.end() ? nullptr : &*found;
}

std::vector<GreyImage> read_first_frames(const std::filesystem::path& video, std::size_t most) {
    VideoIndexOptions options;
    options.is_enough = [most](const VideoIndex& index) { return index.time_stamps.size() >= most; };
    const VideoIndex index = index_video(video, options);
    VideoFrames reader(index.source, {});
    std::vector<GreyImage> frames;
    for (std::size_t i = 0; i < std::min(most, index.time_stamps.size()); ++i) {
        GreyFrame frame = reader.read({index.source, static_cast<std::int64_t>(i), index.time_stamps[i]});
        if (i > 0 && (frame.width != frames[0].width || frame.height != frames[0].height)) break;
        frames.push_back({frame.width, frame.height, std::move(frame.pixels)});
    }
    return frames;
}

TrackBenchmark run_track_benchmark(const TrackBenchmarkRequest& request, const std::vector<GreyImage>& frames,
                                   const TimedMeans& means, const JobHooks& hooks) {
    TrackBenchmark benchmark;
    benchmark.request = request;
    benchmark.frames = frames.size();
    benchmark.size = {frames.at(0).width, frames.at(0).height};
    if (contains(request.parts, times_key))
        benchmark.times = time_tracking(request.timing, frames, request.tracker, means, hooks);
    if (contains(request.parts, flow_key)) {
        // Few, so that they fit into a cache as the next frame of a video does.
        const std::vector<GreyImage> few(frames.begin(),
                                         frames.begin() + std::min<std::ptrdiff_t>(8, std::ssize(frames)));
        benchmark.flow = time_flow(request.flow, few, means.device, means.limit, hooks);
    }
    benchmark.interrupted = hooks.is_cancelled();
    return benchmark;
}

}  // namespace fovea
