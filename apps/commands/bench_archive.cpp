#include <algorithm>

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>

#include "apps/commands/commands.hpp"
#include "apps/options/bench_machine.hpp"
#include "apps/options/bench_work_folder.hpp"
#include "apps/options/common_options.hpp"
#include "apps/terminal/interrupt.hpp"
#include "lib/bench/archive_benchmark.hpp"
#include "lib/bench/report/archive_bench_report.hpp"
#include "lib/config/device_choice.hpp"
#include "lib/core/text.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/json/json.hpp"
#include "lib/report/plots/gnuplot.hpp"

namespace fovea {
namespace {

namespace fs = std::filesystem;

constexpr const char* bench_archive_footer = R"(Examples:
  fovea bench archive
  fovea bench archive photos/ --images 10000 --device cuda --repeat 5 --out bench/
  fovea bench archive --row kills --kills 200 --device cpu

Makes archives of different JPEG files (quality 90, 4:2:0; 1920x1080 and 500x375) from parts of the
photographs, with one or two faces per image where the photographs have faces. Then it runs
'fovea detect' on them, each time in its own process.

  images/s    median, without the start-up of the program
  limit       the same files through the same decoder alone, from memory, in the same run
  held up by  the busiest stage according to run.json
  memory      peak host memory of the process

Rows: 1080p, faces, cpu-decode, small, cpu (2 threads), memory (one large TIFF among thumbnails) and
kills (kill -9 at random times, torn files, --resume; results are compared byte by byte). The exit code
is 1 if results are lost or memory exceeds 2 GiB.)";

constexpr const char* default_photographs = "/usr/share/doc/libdlib19.1/examples/faces";
constexpr std::size_t max_sources = 64;

struct BenchArchiveFlags {
    std::vector<std::string> images;
    DatasetFlags dataset;
    std::vector<std::string> rows;
    std::optional<std::string> work;
    std::optional<std::size_t> count;
    int repeat = 5;
    int kills = 20;
    std::size_t kill_images = 300;
    std::string large = "20000x15000";
    std::uint64_t seed = 1;
    std::string model = default_model;
    std::optional<std::string> device;
    std::optional<int> threads;
    std::optional<std::string> out;
    bool overwrite = false;
};

std::vector<ArchiveSource> read_sources(const BenchArchiveFlags& flags) {
    RunConfig config;
    std::vector<std::string> images = flags.images;
    if (images.empty()) {
        if (!fs::is_directory(default_photographs)) {
            throw UsageError(std::string("name photographs to make archives of: there is no ") +
                             default_photographs + " (of Debian's libdlib19.1)");
        }
        images = {default_photographs};
    }
    set_images(images, config.dataset);
    apply(flags.dataset, config.dataset);
    config.detectors.emplace_back().model = default_model;
    finish_config(config);
    const std::vector<LoadedDetector> detectors =
        load_detectors(config, DetectionDevice::cpu(), default_min_confidence);
    return read_archive_sources(read_configured_dataset(config.dataset), *detectors[0].detector,
                                detectors[0].config.options, max_sources);
}

ArchiveBenchmarkRequest request_of(const BenchArchiveFlags& flags, const fs::path& work) {
    ArchiveBenchmarkRequest request;
    request.program = fs::read_symlink("/proc/self/exe");
    request.work = work;
    request.rows = flags.rows.empty() ? archive_row_keys() : flags.rows;
    request.device = open_detection_device(flags.device.value_or("auto"));
    // A GPU is done with few images before it is at its speed.
    request.images = flags.count.value_or(request.device.is_cuda() ? 4000 : 200);
    request.repeat = flags.repeat;
    request.limit_seconds = std::min(1.0, 0.2 * flags.repeat);
    request.seed = flags.seed;
    request.threads = flags.threads.value_or(0);
    request.model = flags.model;
    request.kills = flags.kills;
    request.kill_images = flags.kill_images;
    request.large = parse_size(flags.large, "--large");
    return request;
}

ExitCode bench_archive(const BenchArchiveFlags& flags, Console& console) {
    const InterruptGuard interrupt;  // before the folder is made that is to be removed
    const RunHooks hooks = run_hooks(console, interrupt);
    const BenchWorkFolder work(flags.work, "fovea-archive");
    const ArchiveBenchmarkRequest request = request_of(flags, work.path());
    if (flags.out) {
        refuse_to_replace(std::filesystem::path(*flags.out) / "bench.json", flags.overwrite);
        make_output_folder(*flags.out, "benchmark");
        report::require_gnuplot();
    }
    if (hooks.stage) hooks.stage("finding faces");
    const std::vector<ArchiveSource> sources = read_sources(flags);
    const ArchiveBenchmark benchmark = run_archive_benchmark(request, sources, hooks);
    console.clear_progress();

    const ExitCode code = benchmark.interrupted ? ExitCode::interrupted
                          : benchmark.passed()  ? ExitCode::done
                                                : ExitCode::failed;
    const std::string machine =
        machine_of(request.device) + fmt::format(", archives of {} images made from {}", request.images,
                                                 counted(sources.size(), "photograph"));
    Json json{{"command", "bench archive"},
              {"exit_code", static_cast<int>(code)},
              {"machine", machine},
              {"seed", request.seed}};
    json.update(report::archive_benchmark_json(benchmark));
    std::string text;
    if (!benchmark.rows.empty()) text += format_tables({report::archive_table(benchmark)}) + "\n";
    for (const std::string& line : report::archive_verdicts(benchmark)) text += line + "\n";
    if (benchmark.interrupted) text += "interrupted: this is what was measured until then\n";
    if (flags.out) {
        report::write_archive_benchmark(*flags.out, json, benchmark, machine);
        text += "report: " + *flags.out + "\n";
        json["report"] = *flags.out;
    }
    console.print_summary(text);
    console.print_json(json);
    if (!benchmark.passed())
        print_error("the archive's results or memory are not as they must be; see above");
    return code;
}

void add_benchmark_flags(CLI::App& app, BenchArchiveFlags& flags) {
    constexpr const char* group = "Benchmark";
    app.add_option("--row", flags.rows, "Measure these rows only")
        ->delimiter(',')
        ->check(CLI::IsMember(archive_row_keys()))
        ->type_name("NAME,NAME,...")
        ->group(group);
    app.add_option("--images", flags.count, "Images of each size (default: 4000; without a GPU 200)")
        ->check(CLI::Range(1, 10'000'000))
        ->type_name("N")
        ->group(group);
    app.add_option("--work", flags.work,
                   "Folder for the archives, which stay and are used again (default: a temporary one)")
        ->type_name("DIR")
        ->group("Advanced");
    app.add_option("--repeat", flags.repeat, "Runs of each row behind the one that warms up (default: 5)")
        ->check(CLI::Range(1, 1000))
        ->type_name("N")
        ->group(group);
    app.add_option("--kills", flags.kills, "Kills of the row 'kills' (default: 20)")
        ->check(CLI::Range(1, 1'000'000))
        ->type_name("N")
        ->group("Advanced");
    app.add_option("--kill-images", flags.kill_images,
                   "Thumbnails of the rows 'kills' and 'memory' (default: 300)")
        ->check(CLI::Range(1, 1'000'000))
        ->type_name("N")
        ->group("Advanced");
    app.add_option("--large", flags.large, "Size of the TIFF of the row 'memory' (default: 20000x15000)")
        ->type_name("WxH")
        ->group("Advanced");
    app.add_option("--seed", flags.seed, "Seed of archives and kills (default: 1)")
        ->type_name("N")
        ->group("Advanced");
    app.add_option("--model", flags.model,
                   std::string("Detector of all rows (default: ") + default_model + ")")
        ->type_name("MODEL")
        ->group("Detection");
}

}  // namespace

Command add_bench_archive_command(CLI::App& bench) {
    CLI::App* app = bench.add_subcommand("archive", "Measure 'fovea detect' on archives of photographs");
    auto flags = std::make_shared<BenchArchiveFlags>();
    app->footer(bench_archive_footer);
    app->add_option("IMAGES", flags->images,
                    "Photographs to make the archives of: image files, or a folder, list or dataset "
                    "(FORMAT:PATH); up to 64 are used (default: those of Debian's libdlib19.1)")
        ->type_name("");
    add_benchmark_flags(*app, *flags);
    app->add_option("--out,-o", flags->out, "Folder for table.html, table.md, bench.json and a plot (SVG)")
        ->type_name("DIR")
        ->group("Output");
    add_overwrite_flag(*app, flags->overwrite, "a benchmark");
    add_dataset_flags(*app, flags->dataset);
    add_device_flag(*app, flags->device);
    add_threads_flag(*app, flags->threads);
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return bench_archive(*flags, console); }};
}

}  // namespace fovea
