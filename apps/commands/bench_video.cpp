#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>

#include "apps/commands/commands.hpp"
#include "apps/options/bench_options.hpp"
#include "apps/options/common_options.hpp"
#include "apps/terminal/interrupt.hpp"
#include "lib/bench/report/records.hpp"
#include "lib/bench/video_benchmark.hpp"
#include "lib/config/device_choice.hpp"
#include "lib/core/error.hpp"
#include "lib/files/folder.hpp"
#include "lib/json/json.hpp"
#include "lib/video/video_error.hpp"

namespace fovea {
namespace {

namespace fs = std::filesystem;

constexpr const char* bench_video_footer = R"(Examples:
  fovea bench video clip.mp4
  fovea bench video h264.mp4 hevc.mp4 --device cuda --copies 16 --frames 1000 --out bench/

Repeats each video until it is long enough, and runs 'fovea detect' on it, each time in its own process.

  frames/s    median with quartiles, without the start-up of the program
  decoder     the decoder alone, on the same files in the same run
  reached     the share of it; on the CPU, of the slower of decoder and detection alone
  held up by  the busiest stage according to run.json
  latency     one stream, frame by frame: from the decoder's giving a frame to its boxes on the host

Rows: files (several files at once), long (one file), live (one stream) and cpu (one file on the CPU).)";

struct BenchVideoFlags {
    std::vector<std::string> videos;
    std::vector<std::string> rows;
    std::optional<std::string> work;
    int copies = 16;
    std::size_t frames = 1000;
    std::size_t long_frames = 10000;
    std::size_t live_frames = 2000;
    int repeat = 3;
    std::string model = default_model;
    std::optional<std::string> device;
    std::optional<int> threads;
    BenchOutput output;
};

VideoBenchmarkRequest request_of(const BenchVideoFlags& flags, const fs::path& work) {
    VideoBenchmarkRequest request;
    request.program = fs::read_symlink("/proc/self/exe");
    request.work = work;
    for (const std::string& video : flags.videos) {
        if (!is_there(video)) throw UsageError("There is no video '" + video + "'; check the path.");
        request.videos.emplace_back(video);
    }
    request.rows = flags.rows.empty() ? video_row_keys() : flags.rows;
    request.copies = flags.copies;
    request.frames = flags.frames;
    request.long_frames = flags.long_frames;
    request.live_frames = flags.live_frames;
    request.repeat = flags.repeat;
    request.device = open_detection_device(flags.device.value_or("auto"));
    request.threads = flags.threads.value_or(0);
    request.model = flags.model;
    return request;
}

VideoBenchmark measure(const VideoBenchmarkRequest& request, const JobHooks& hooks) {
    try {
        return run_video_benchmark(request, hooks);
    } catch (const VideoError& error) {
        throw Error(std::string("a video cannot be measured: ") + error.what());
    }
}

ExitCode bench_video(const BenchVideoFlags& flags, Console& console) {
    const InterruptGuard interrupt;  // before the folder is made that is to be removed
    const JobHooks hooks = job_hooks(console, interrupt);
    const BenchWorkFolder work(flags.work, "fovea-video");
    const VideoBenchmarkRequest request = request_of(flags, work.path());
    InputFiles inputs = flags.output.inputs;
    for (const std::string& video : flags.videos) inputs.add(video);
    prepare_benchmark_folder(flags.output);
    const VideoBenchmark benchmark = measure(request, hooks);
    const std::string machine = machine_of(request.device);
    return show_benchmark(console, flags.output,
                          {"bench video",
                           benchmark.interrupted ? ExitCode::interrupted : ExitCode::done,
                           {{"machine", machine}},
                           {},
                           {},
                           report::video_record(benchmark, machine)});
}

void add_benchmark_flags(CLI::App& app, BenchVideoFlags& flags) {
    constexpr const char* group = "Benchmark";
    app.add_option("--row", flags.rows, "Measure these rows only")
        ->delimiter(',')
        ->check(CLI::IsMember(video_row_keys()))
        ->type_name("NAME,NAME,...")
        ->group(group);
    app.add_option("--copies", flags.copies,
                   fmt::format("Files of the row 'files' (default: {})", flags.copies))
        ->check(CLI::Range(1, 1000))
        ->type_name("N")
        ->group(group);
    app.add_option("--frames", flags.frames,
                   fmt::format("Frames of each of these files, about (default: {})", flags.frames))
        ->check(CLI::Range(1, 10'000'000))
        ->type_name("N")
        ->group(group);
    app.add_option("--long-frames", flags.long_frames,
                   fmt::format("Frames of the row 'long', about (default: {})", flags.long_frames))
        ->check(CLI::Range(1, 10'000'000))
        ->type_name("N")
        ->group(group);
    app.add_option("--live-frames", flags.live_frames,
                   fmt::format("Frames of the row 'live' (default: {})", flags.live_frames))
        ->check(CLI::Range(1, 10'000'000))
        ->type_name("N")
        ->group(group);
    app.add_option("--repeat", flags.repeat,
                   fmt::format("Runs of each row behind the one that warms up (default: {})", flags.repeat))
        ->check(CLI::Range(1, 1000))
        ->type_name("N")
        ->group(group);
    app.add_option("--work", flags.work,
                   "Folder for the videos and results, which stay (default: a temporary one)")
        ->type_name("DIR")
        ->group("Advanced");
    app.add_option("--model", flags.model, fmt::format("Detector of all rows (default: {})", flags.model))
        ->type_name("MODEL")
        ->group("Detection");
}

}  // namespace

Command add_bench_video_command(CLI::App& bench) {
    CLI::App* app =
        bench.add_subcommand("video", "Measure 'fovea detect' on videos, beside the decoder alone");
    auto flags = std::make_shared<BenchVideoFlags>();
    app->footer(bench_video_footer);
    app->add_option("VIDEOS", flags->videos, "Video files; each is measured by itself")
        ->required()
        ->type_name("");
    add_benchmark_flags(*app, *flags);
    add_bench_output_flags(*app, flags->output);
    add_device_flag(*app, flags->device);
    add_threads_flag(*app, flags->threads);
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return bench_video(*flags, console); }};
}

}  // namespace fovea
