#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>

#include "apps/options/bench_options.hpp"
#include "apps/terminal/interrupt.hpp"
#include "lib/bench/timed_run.hpp"
#include "lib/config/device_choice.hpp"
#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/json/json.hpp"
#include "lib/numbers/number_text.hpp"
#include "tests/lab/kills.hpp"
#include "tests/lab/lab.hpp"
#include "tests/lab/large_job.hpp"

namespace fovea {
namespace {

namespace fs = std::filesystem;

constexpr const char* kills_footer = R"(Examples:
  fovea-lab kills photos/ --kills 200 --device cpu
  fovea-lab kills --track videos/ --kills 200 --device cpu

Kills 'fovea detect', or 'fovea track' on the videos of a folder, at random times (kill -9), tears its
files, resumes it and compares the results byte by byte. The exit code is 1 if a line is lost or doubled or any byte differs.)";

constexpr const char* memory_footer = R"(Examples:
  fovea-lab memory photos/ --large 20000x15000 --device cpu

Runs 'fovea detect' on a large TIFF among thumbnails. The exit code is 1 if memory exceeds 2 GiB.)";

struct JobFlags {
    ArchivePhotographs photographs;
    std::size_t images = 300;
    int kills = 20;
    std::string large = "20000x15000";
    std::uint64_t seed = 1;
    std::string model = default_model;
    std::optional<std::string> program, work, device, track;
    std::optional<int> threads;
};

/// `fovea` beside this program, unless it is named.
fs::path program_of(const JobFlags& flags) {
    const fs::path program =
        flags.program ? fs::path(*flags.program) : fs::read_symlink("/proc/self/exe").parent_path() / "fovea";
    if (!fs::exists(program))
        throw UsageError("there is no " + program.string() + "; name it with --program");
    return program;
}

/// A 'fovea detect' with the flags of all jobs. \param images empty: they are named later
std::vector<std::string> command_of(const JobFlags& flags, const std::string& images) {
    const std::string device = open_detection_device(flags.device.value_or("auto")).name();
    std::vector<std::string> command = detect_command(program_of(flags), images, flags.model, device);
    if (images.empty()) command.erase(command.begin() + 2);
    if (flags.threads && *flags.threads > 0)
        command.insert(command.end(), {"--threads", std::to_string(*flags.threads)});
    return command;
}

/// Shows what a job came to. \param text a sentence for people
ExitCode show(const Console& console, const std::string& command, bool interrupted, bool passed,
              const std::string& text, Json json) {
    const ExitCode code = !passed ? ExitCode::failed : interrupted ? ExitCode::interrupted : ExitCode::done;
    Json head{{"command", command}, {"exit_code", static_cast<int>(code)}};
    json["interrupted"] = interrupted;
    json["passed"] = passed;
    head.update(json);
    console.print_summary(text + (interrupted ? "\ninterrupted: this is what was found until then\n" : "\n"));
    console.print_json(head);
    if (!passed) print_error("the job's results or memory are not as they must be; see above");
    return code;
}

ExitCode run_kills(const JobFlags& flags, Console& console) {
    const InterruptGuard interrupt;  // before the folder is made that is to be removed
    const JobHooks hooks = job_hooks(console, interrupt);
    const BenchWorkFolder work(flags.work, "fovea-kills");
    const fs::path thumbnails = work.path() / "thumbnails";
    KillTestRequest request;
    request.command = command_of(flags, flags.track.value_or(thumbnails.string()));
    if (flags.track) {
        request.command.at(1) = "track";
        request.command.push_back("--rejoin");
    } else {
        request.command.insert(request.command.end(), {"--landmarks", "helen", "--recogniser", "lbp"});
        request.features = true;
    }
    request.folder = work.path() / "kills";
    request.kills = flags.kills;
    request.seed = flags.seed;
    fs::create_directories(work.path());
    if (!flags.track) {
        make_archive(thumbnails, {thumbnail_size, flags.images, flags.seed}, read_sources(flags.photographs),
                     hooks);
    }
    const KillTestResult kills = run_kill_test(request, hooks);
    console.clear_progress();
    const std::string text = fmt::format(
        "lost or doubled: {} of {} lines ({} each of {}), {} with other bytes; {} kills, {} of them with "
        "torn "
        "files, {} with work that stayed",
        kills.lost + kills.doubled, kills.images * static_cast<std::size_t>(kills.finished), kills.images,
        counted(static_cast<std::size_t>(kills.finished), "job"), kills.different, kills.kills, kills.torn,
        kills.resumed);
    return show(console, "kills", kills.interrupted, kills.passed(), text,
                {{"kills", kills.kills},
                 {"torn", kills.torn},
                 {"resumed", kills.resumed},
                 {"finished", kills.finished},
                 {"images", kills.images},
                 {"lost", kills.lost},
                 {"doubled", kills.doubled},
                 {"different", kills.different},
                 {"uninterrupted_seconds", kills.uninterrupted_seconds}});
}

ExitCode run_memory(const JobFlags& flags, Console& console) {
    const InterruptGuard interrupt;
    const JobHooks hooks = job_hooks(console, interrupt);
    const BenchWorkFolder work(flags.work, "fovea-memory");
    LargeJobRequest request;
    request.command = command_of(flags, {});
    request.work = work.path();
    request.thumbnails = flags.images;
    request.large = parse_size(flags.large, "--large");
    request.seed = flags.seed;
    fs::create_directories(work.path());
    const LargeJobResult job = run_large_job(request, read_sources(flags.photographs), hooks);
    console.clear_progress();
    const auto mebibytes = [](std::uint64_t bytes) {
        return grouped(static_cast<long long>(bytes >> 20)) + " MiB";
    };
    const std::string text = fmt::format(
        "memory: {} at most, of {} allowed, with a TIFF of {}x{} among {}", mebibytes(job.peak_memory_bytes),
        mebibytes(LargeJobResult::allowed_bytes), job.large.width, job.large.height,
        counted(job.images > 0 ? job.images - 1 : 0, "thumbnail"));
    return show(console, "memory", job.interrupted, job.passed(), text,
                {{"peak_memory_bytes", job.peak_memory_bytes},
                 {"allowed_bytes", LargeJobResult::allowed_bytes},
                 {"seconds", job.seconds},
                 {"images", job.images},
                 {"large", {job.large.width, job.large.height}},
                 {"detect", job.command}});
}

Command add_job_command(CLI::App* app, const std::shared_ptr<JobFlags>& flags, const char* footer,
                        ExitCode (*run)(const JobFlags& flags, Console& console)) {
    app->footer(footer);
    add_archive_photographs(*app, flags->photographs);
    app->add_option("--images", flags->images, fmt::format("Thumbnails (default: {})", flags->images))
        ->check(CLI::Range(1, 1'000'000))
        ->type_name("N");
    app->add_option("--seed", flags->seed,
                    fmt::format("Seed of all that is drawn (default: {})", flags->seed))
        ->type_name("N");
    app->add_option("--program", flags->program, "The program to run (default: fovea beside this one)")
        ->type_name("FILE");
    app->add_option("--work", flags->work, "Folder for images and results, which stay (default: temporary)")
        ->type_name("DIR");
    app->add_option("--model", flags->model, fmt::format("Detector (default: {})", flags->model))
        ->type_name("MODEL");
    add_device_flag(*app, flags->device);
    add_threads_flag(*app, flags->threads);
    return {app, add_output_flags(*app), [flags, run](Console& console) { return run(*flags, console); }};
}

}  // namespace

Command add_kills_command(CLI::App& program) {
    CLI::App* app = program.add_subcommand("kills", "Kill a job again and again, and resume it");
    auto flags = std::make_shared<JobFlags>();
    app->add_option("--kills", flags->kills, fmt::format("Kills (default: {})", flags->kills))
        ->check(CLI::Range(1, 1'000'000))
        ->type_name("N");
    app->add_option("--track", flags->track, "Kill 'fovea track' on these videos instead")->type_name("DIR");
    return add_job_command(app, flags, kills_footer, run_kills);
}

Command add_memory_command(CLI::App& program) {
    CLI::App* app = program.add_subcommand("memory", "The memory of 'fovea detect' with a large image");
    auto flags = std::make_shared<JobFlags>();
    app->add_option("--large", flags->large, fmt::format("Size of the TIFF (default: {})", flags->large))
        ->type_name("WxH");
    return add_job_command(app, flags, memory_footer, run_memory);
}

}  // namespace fovea
