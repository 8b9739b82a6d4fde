#include "lib/bench/track/track_benchmark.hpp"

#include <algorithm>

#include "lib/bench/track/clip_files.hpp"
#include "lib/core/cancel.hpp"

namespace fovea {
namespace {

constexpr const char* study_key = "study";
constexpr const char* times_key = "times";
constexpr const char* flow_key = "flow";

/// Writes a clip, and replaces its frames by the decoded ones.
ClipFilter filter_of(const TrackBenchmarkRequest& request) {
    if (!request.keep && !request.crf) return {};
    return [&request](Clip& clip) {
        const std::filesystem::path folder =
            write_clip(clip, request.keep ? *request.keep : request.work, request.crf.value_or(0));
        if (request.crf) read_frames(folder / clip_video_name, clip);
    };
}

}  // namespace

std::vector<std::string> track_benchmark_parts() {
    return {study_key, times_key, flow_key};
}

bool TrackBenchmarkRequest::wants(const std::string& part) const {
    return std::find(parts.begin(), parts.end(), part) != parts.end();
}

TrackBenchmarkRequest full_track_benchmark() {
    TrackBenchmarkRequest request;
    request.parts = track_benchmark_parts();
    request.study = full_study();
    request.timing.clip.name = "timed";
    request.timing.clip.size = {1920, 1080};
    request.timing.clip.frames = 100;
    request.timing.clip.face_width = 180;
    return request;
}

TrackBenchmarkRequest quick_track_benchmark() {
    TrackBenchmarkRequest request = full_track_benchmark();
    request.study = quick_study();
    request.timing.clip.size = {640, 480};
    request.timing.clip.frames = 40;
    request.timing.clip.face_width = 90;
    request.timing.redetects = {10};
    request.timing.repeat = 1;
    request.flow.size = {640, 480};
    request.flow.points = {68, 500};
    request.flow.windows = {21};
    request.flow.levels = {1, 4};
    request.flow.iterations = {30};
    request.flow.repeat = 3;
    return request;
}

TrackBenchmark run_track_benchmark(const TrackBenchmarkRequest& request, const CutOuts& cut_outs,
                                   const TrackMeans& on_cpu, const TimedMeans& timed, const RunHooks& hooks) {
    TrackBenchmark benchmark;
    benchmark.request = request;
    benchmark.faces = cut_outs.faces.size();
    benchmark.photos = cut_outs.photos.size();
    if (request.wants(study_key)) {
        benchmark.study =
            run_track_study(request.study, cut_outs, request.tracker, on_cpu, filter_of(request), hooks);
    }
    if (request.wants(times_key))
        benchmark.times = time_tracking(request.timing, cut_outs, request.tracker, timed, hooks);
    if (request.wants(flow_key))
        benchmark.flow = time_flow(request.flow, cut_outs, timed.device, on_cpu.limit, hooks);
    benchmark.interrupted = is_cancelled(hooks.cancel);
    return benchmark;
}

}  // namespace fovea
