#include "lib/bench/video_benchmark.hpp"

#include <algorithm>
#include <cmath>
#include <system_error>

#include <spdlog/fmt/fmt.h>

#include "lib/bench/video_limits.hpp"
#include "lib/core/error.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/core/time_summary.hpp"
#include "lib/job/loaded_detector.hpp"
#include "lib/video/index_video.hpp"
#include "lib/video/nvdec.hpp"
#include "lib/video/repeat_video.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

constexpr const char* files_key = "files";
constexpr const char* long_key = "long";
constexpr const char* live_key = "live";
constexpr const char* cpu_key = "cpu";

class VideoRun {
  public:
    VideoRun(const VideoBenchmarkRequest& request, const JobHooks& hooks)
        : request_(request), hooks_(hooks) {}

    VideoBenchmark run() {
        for (const fs::path& video : request_.videos) {
            if (wants(files_key)) add_row(files_row(video), true);
            if (wants(long_key)) add_row(long_row(video), true);
            if (wants(cpu_key)) add_row(cpu_row(video), false);
            if (wants(live_key) && !cancelled()) result_.live.push_back(live_of(video));
            if (cancelled()) break;
        }
        return std::move(result_);
    }

  private:
    struct Planned {
        VideoRowResult row;
        std::vector<fs::path> files;
        fs::path input;  // of detect
    };

    Planned files_row(const fs::path& video) {
        const std::size_t frames = frames_of(video);
        const int times = times_for(frames, request_.frames);
        const fs::path folder = request_.work / (video.stem().string() + "-files");
        fs::create_directories(folder);
        Planned planned;
        planned.input = folder;
        const fs::path first = folder / ("01" + extension_of(video));
        say("making " + first.string());
        repeat_video(video, first, times);
        planned.files.push_back(first);
        for (int i = 1; i < request_.copies; ++i) {
            const fs::path copy = folder / fmt::format("{:02}{}", i + 1, extension_of(video));
            std::error_code none;
            fs::remove(copy, none);
            fs::create_hard_link(first, copy);
            planned.files.push_back(copy);
        }
        planned.row = row_of(
            files_key, video,
            fmt::format("{} files of {} frames", request_.copies, frames * static_cast<std::size_t>(times)));
        return planned;
    }

    Planned long_row(const fs::path& video) {
        const std::size_t frames = frames_of(video);
        const int times = times_for(frames, request_.long_frames);
        Planned planned;
        planned.input = request_.work / (video.stem().string() + "-long" + extension_of(video));
        say("making " + planned.input.string());
        repeat_video(video, planned.input, times);
        planned.files = {planned.input};
        planned.row = row_of(long_key, video,
                             fmt::format("one file of {} frames", frames * static_cast<std::size_t>(times)));
        return planned;
    }

    Planned cpu_row(const fs::path& video) const {
        Planned planned;
        planned.input = video;
        planned.files = {video};
        planned.row = row_of(cpu_key, video, "one file, on the CPU");
        return planned;
    }

    static VideoRowResult row_of(const char* key, const fs::path& video, const std::string& work) {
        VideoRowResult row;
        row.key = key;
        row.video = video;
        row.work = work;
        return row;
    }

    // Containers that are always there for writing, and keep time stamps.
    static std::string extension_of(const fs::path& video) {
        return video.extension() == ".webm" ? ".webm" : ".mkv";
    }

    std::size_t frames_of(const fs::path& video) const { return index_video(video).time_stamps.size(); }

    static int times_for(std::size_t frames, std::size_t wanted) {
        return static_cast<int>(std::max<std::size_t>(1, (wanted + frames / 2) / frames));
    }

    void add_row(Planned planned, bool on_gpu) {
        if (cancelled()) return;
        VideoRowResult& row = planned.row;
        row.not_run = on_gpu ? why_no_gpu(row.video) : "";
        if (row.not_run.empty()) {
            measure_limit(planned, on_gpu);
            measure(planned, on_gpu);
            if (row.runs.images_per_second.empty()) return;
        }
        result_.rows.push_back(std::move(row));
    }

    std::string why_no_gpu(const fs::path& video) const {
        if (!request_.device.is_cuda()) return "the device is the CPU";
        const VideoIndex index = index_video(video);
        for (const int gpu : request_.device.gpus) {
            if (std::string why = why_not_by_nvdec(*index.source, gpu); !why.empty()) return why;
        }
        return {};
    }

    void measure_limit(Planned& planned, bool on_gpu) {
        say("decoding alone: " + planned.row.work);
        const VideoDecodeLimit limit =
            on_gpu ? measure_gpu_decode_limit(planned.files, request_.device.gpus, request_.repeat)
                   : measure_cpu_decode_limit(planned.files.front(), request_.threads, request_.repeat);
        planned.row.limit_name = limit.name;
        planned.row.limit_per_second = limit.frames_per_second;
        if (!on_gpu)
            planned.row.detect_per_second = measure_detection_alone(planned.files.front(), detector_on_cpu());
    }

    void measure(Planned& planned, bool on_gpu) {
        VideoRowResult& row = planned.row;
        const fs::path out = request_.work / "out";
        row.command = detect_command(request_.program, planned.input.string(), request_.model,
                                     on_gpu ? request_.device.name() : "cpu");
        row.command.insert(row.command.end(), {"--out", (out / "results.jsonl").string()});
        if (request_.threads > 0)
            row.command.insert(row.command.end(), {"--threads", std::to_string(request_.threads)});
        if (auto runs = repeat_timed(row.command, out, request_.repeat, row.work, hooks_))
            row.runs = std::move(*runs);
    }

    LiveResult live_of(const fs::path& video) {
        say("one stream, frame by frame");
        const fs::path file = request_.work / (video.stem().string() + "-live" + extension_of(video));
        repeat_video(video, file, times_for(frames_of(video), request_.live_frames));
        LiveResult live =
            measure_live(file, request_.live_frames, detector_on(request_.device), request_.device);
        live.video = video;
        return live;
    }

    const LoadedDetector& detector_on_cpu() { return detector_on(DetectionDevice::cpu()); }

    const LoadedDetector& detector_on(const DetectionDevice& device) {
        RunConfig config;
        DetectorConfig& detector = config.detectors.emplace_back();
        detector.model = request_.model;
        detector.options.scale_factor = timed_scale_factor(request_.model);
        std::vector<LoadedDetector>& loaded = device.is_cuda() ? on_gpus_ : on_cpu_;
        if (loaded.empty()) loaded = load_detectors(config, device, default_min_confidence);
        return loaded.front();
    }

    bool wants(const std::string& key) const {
        return std::find(request_.rows.begin(), request_.rows.end(), key) != request_.rows.end();
    }
    bool cancelled() {
        result_.interrupted = hooks_.is_cancelled();
        return result_.interrupted;
    }
    void say(const std::string& what) const { hooks_.begin_stage(what); }

    const VideoBenchmarkRequest& request_;
    const JobHooks& hooks_;
    std::vector<LoadedDetector> on_cpu_, on_gpus_;
    VideoBenchmark result_;
};

}  // namespace

std::vector<std::string> video_row_keys() {
    return {files_key, long_key, live_key, cpu_key};
}

double VideoRowResult::limit() const {
    return median_time(limit_per_second);
}

double VideoRowResult::share() const {
    const double reachable = detect_per_second > 0 ? std::min(limit(), detect_per_second) : limit();
    return reachable > 0 ? runs.median() / reachable : 0;
}

VideoBenchmark run_video_benchmark(const VideoBenchmarkRequest& request, const JobHooks& hooks) {
    check_rows(request.rows, video_row_keys());
    fs::create_directories(request.work);
    return VideoRun(request, hooks).run();
}

}  // namespace fovea
