#include <algorithm>

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>

#include "apps/commands/commands.hpp"
#include "apps/options/bench_options.hpp"
#include "apps/options/common_options.hpp"
#include "apps/terminal/interrupt.hpp"
#include "lib/bench/archive_benchmark.hpp"
#include "lib/bench/report/records.hpp"
#include "lib/config/device_choice.hpp"
#include "lib/core/text.hpp"
#include "lib/json/json.hpp"

namespace fovea {
namespace {

namespace fs = std::filesystem;

constexpr const char* bench_archive_footer = R"(Examples:
  fovea bench archive
  fovea bench archive photos/ --images 10000 --device cuda --repeat 5 --out bench/

Makes archives of different JPEG files (quality 90, 4:2:0; 1920x1080 and 500x375) from parts of the
photographs, with one or two faces per image where the photographs have faces. Then it runs
'fovea detect' on them, each time in its own process.

  images/s    median with quartiles, without the start-up of the program
  limit       the same files through the same decoder alone, from memory, in the same run
  held up by  the busiest stage according to run.json
  memory      peak host memory of the process

Rows: 1080p, faces, cpu-decode, small and cpu (2 threads).)";

struct BenchArchiveFlags {
    ArchivePhotographs photographs;
    std::vector<std::string> rows;
    std::optional<std::string> work;
    std::optional<std::size_t> count;
    int repeat = 5;
    std::uint64_t seed = 1;
    std::string model = default_model;
    std::optional<std::string> device;
    std::optional<int> threads;
    BenchOutput output;
};

// A GPU is done with few images before it is at its speed.
constexpr std::size_t images_on_gpus = 4000, images_on_cpu = 200;

ArchiveBenchmarkRequest request_of(const BenchArchiveFlags& flags, const fs::path& work) {
    ArchiveBenchmarkRequest request;
    request.program = fs::read_symlink("/proc/self/exe");
    request.work = work;
    request.rows = flags.rows.empty() ? archive_row_keys() : flags.rows;
    request.device = open_detection_device(flags.device.value_or("auto"));
    request.images = flags.count.value_or(request.device.is_cuda() ? images_on_gpus : images_on_cpu);
    request.repeat = flags.repeat;
    request.limit_seconds = std::min(1.0, 0.2 * flags.repeat);
    request.seed = flags.seed;
    request.threads = flags.threads.value_or(0);
    request.model = flags.model;
    return request;
}

ExitCode bench_archive(const BenchArchiveFlags& flags, Console& console) {
    const InterruptGuard interrupt;  // before the folder is made that is to be removed
    const JobHooks hooks = job_hooks(console, interrupt);
    const BenchWorkFolder work(flags.work, "fovea-archive");
    const ArchiveBenchmarkRequest request = request_of(flags, work.path());
    prepare_benchmark_folder(flags.output);
    hooks.begin_stage("finding faces");
    const std::vector<ArchiveSource> sources = read_sources(flags.photographs);
    const ArchiveBenchmark benchmark = run_archive_benchmark(request, sources, hooks);
    const std::string machine =
        machine_of(request.device) + fmt::format(", archives of {} images made from {}", request.images,
                                                 counted(sources.size(), "photograph"));
    return show_benchmark(console, flags.output,
                          {"bench archive",
                           benchmark.interrupted ? ExitCode::interrupted : ExitCode::done,
                           {{"machine", machine}, {"seed", request.seed}},
                           {},
                           {},
                           report::archive_record(benchmark, machine)});
}

void add_benchmark_flags(CLI::App& app, BenchArchiveFlags& flags) {
    constexpr const char* group = "Benchmark";
    app.add_option("--row", flags.rows, "Measure these rows only")
        ->delimiter(',')
        ->check(CLI::IsMember(archive_row_keys()))
        ->type_name("NAME,NAME,...")
        ->group(group);
    app.add_option(
           "--images", flags.count,
           fmt::format("Images of each size (default: {}; without a GPU {})", images_on_gpus, images_on_cpu))
        ->check(CLI::Range(1, 10'000'000))
        ->type_name("N")
        ->group(group);
    app.add_option("--work", flags.work,
                   "Folder for the archives, which stay and are used again (default: a temporary one)")
        ->type_name("DIR")
        ->group("Advanced");
    app.add_option("--repeat", flags.repeat,
                   fmt::format("Runs of each row behind the one that warms up (default: {})", flags.repeat))
        ->check(CLI::Range(1, 1000))
        ->type_name("N")
        ->group(group);
    app.add_option("--seed", flags.seed, fmt::format("Seed of the archives (default: {})", flags.seed))
        ->type_name("N")
        ->group("Advanced");
    app.add_option("--model", flags.model, fmt::format("Detector of all rows (default: {})", flags.model))
        ->type_name("MODEL")
        ->group("Detection");
}

}  // namespace

Command add_bench_archive_command(CLI::App& bench) {
    CLI::App* app = bench.add_subcommand("archive", "Measure 'fovea detect' on archives of photographs");
    auto flags = std::make_shared<BenchArchiveFlags>();
    app->footer(bench_archive_footer);
    add_archive_photographs(*app, flags->photographs);
    add_benchmark_flags(*app, *flags);
    add_bench_output_flags(*app, flags->output);
    add_device_flag(*app, flags->device);
    add_threads_flag(*app, flags->threads);
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return bench_archive(*flags, console); }};
}

}  // namespace fovea
