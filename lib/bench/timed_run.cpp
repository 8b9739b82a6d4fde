#include "lib/bench/timed_run.hpp"

#include <algorithm>
#include <system_error>

#include <spdlog/fmt/fmt.h>

#include "lib/core/error.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/core/text.hpp"
#include "lib/core/time_summary.hpp"
#include "lib/detect/detector_kinds.hpp"
#include "lib/files/file.hpp"
#include "lib/files/find_model.hpp"
#include "lib/files/sha256.hpp"
#include "lib/json/json_member.hpp"

namespace fovea {
namespace {

double number(const Json& object, const char* key) {
    const Json& value = member_of(object, key);
    return value.is_number() ? value.get<double>() : 0;
}

std::size_t count(const Json& object, const char* key) {
    const Json& value = member_of(object, key);
    return value.is_number_unsigned() ? value.get<std::size_t>() : 0;
}

std::optional<double> joules_per_image(const Json& amount, std::size_t images) {
    const Json& joules = member_of(amount, "joules");
    if (!joules.is_number()) return std::nullopt;
    return joules.get<double>() / static_cast<double>(images);
}

}  // namespace

TimedRun read_timed_run(const Json& manifest, const std::string& place) {
    const Json& counts = member_of(manifest, "counts");
    TimedRun run;
    run.timings = member_of(manifest, "timings");
    run.energy = member_of(manifest, "energy");
    run.images = count(counts, "images");
    run.unreadable = count(counts, "unreadable");
    run.detections = count(counts, "detections");
    run.total_seconds = number(run.timings, "total_seconds");
    if (run.images == 0 || !(run.total_seconds > 0))
        throw Error(
            place +
            " does not tell how many images took how long; it is no run.json of a finished 'fovea detect'");
    run.images_per_second = static_cast<double>(run.images) / run.total_seconds;
    run.megapixels_per_second = number(run.timings, "megapixels_per_second");
    const Json& limit = member_of(run.timings, "limit");
    if (limit.is_string()) run.limit = limit.get<std::string>();
    const Json& gpus = member_of(run.energy, "gpu");
    for (const Json& gpu : gpus.is_array() ? gpus : Json::array()) {
        const std::optional<double> joules = joules_per_image(gpu, run.images);
        // The energy of some GPUs is that of none: it would look like a whole.
        if (!joules) {
            run.gpu_joules_per_image.reset();
            break;
        }
        run.gpu_joules_per_image = run.gpu_joules_per_image.value_or(0) + *joules;
    }
    run.cpu_joules_per_image = joules_per_image(member_of(run.energy, "cpu"), run.images);
    return run;
}

std::optional<ProgramRun> run_timed(const std::vector<std::string>& command, const std::filesystem::path& out,
                                    const std::atomic<bool>* cancel) {
    std::error_code none;
    std::filesystem::remove_all(out, none);
    std::filesystem::create_directories(out);
    ProgramRun program{ChildProcess(command).wait(cancel), {}};
    if (is_cancelled(cancel)) return std::nullopt;
    if (program.process.exit_code != 0) {
        throw Error(fmt::format("'{}' failed with exit code {}; its words: {}", words_of(command),
                                program.process.exit_code, trim(program.process.error_text)));
    }
    const std::filesystem::path manifest = out / "run.json";
    program.run =
        read_timed_run(Json::parse(read_file(manifest, "manifest"), nullptr, false), manifest.string());
    return program;
}

double TimedRuns::median() const {
    return median_time(images_per_second);
}

std::optional<TimedRuns> repeat_timed(const std::vector<std::string>& command,
                                      const std::filesystem::path& out, int repeat, const std::string& work,
                                      const JobHooks& hooks) {
    TimedRuns all;
    std::vector<TimedRun> runs;
    std::vector<double> start_ups;
    std::string first_results;
    for (int i = 0; i <= repeat; ++i) {
        hooks.begin_stage(
            fmt::format("{}: {}", work, i == 0 ? "warming up" : fmt::format("run {} of {}", i, repeat)));
        const std::optional<ProgramRun> program = run_timed(command, out, hooks.cancel);
        if (!program) return std::nullopt;
        const std::string results = sha256_of_file(out / "results.jsonl");
        if (i == 0) first_results = results;
        if (results != first_results)
            throw Error("results of equal runs differ, the first of them by '" + words_of(command) + "'");
        all.peak_memory_bytes = std::max(all.peak_memory_bytes, program->process.peak_memory_bytes);
        if (i == 0) continue;
        all.images_per_second.push_back(program->run.images_per_second);
        start_ups.push_back(program->process.seconds - program->run.total_seconds);
        runs.push_back(program->run);
    }
    all.start_up_seconds = median_time(start_ups);
    std::sort(runs.begin(), runs.end(),
              [](const TimedRun& a, const TimedRun& b) { return a.images_per_second < b.images_per_second; });
    all.run = runs[runs.size() / 2];
    return all;
}

void check_rows(const std::vector<std::string>& rows, const std::vector<std::string>& known) {
    for (const std::string& row : rows) {
        if (std::find(known.begin(), known.end(), row) == known.end())
            throw UsageError(fmt::format("there is no row '{}'; rows are {}", row, fmt::join(known, ", ")));
    }
}

std::optional<double> timed_scale_factor(const std::string& model) {
    const std::filesystem::path file = find_model(model);
    return detector_kind_of(file).traits.is_cascade ? std::optional(1.15) : std::nullopt;
}

std::vector<std::string> detect_command(const std::filesystem::path& program, const std::string& images,
                                        const std::string& model, const std::string& device) {
    std::vector<std::string> words{program.string(), "detect", images, "--model", model};
    if (const auto factor = timed_scale_factor(model)) {
        words.insert(words.end(), {"--scale-factor", fmt::format("{}", *factor)});
    }
    words.insert(words.end(), {"--device", device, "--quiet"});
    return words;
}

std::string words_of(const std::vector<std::string>& command) {
    return fmt::format("{}", fmt::join(command, " "));
}

std::string energy_text(const TimedRun& run) {
    const auto& gpu = run.gpu_joules_per_image;
    const auto& cpu = run.cpu_joules_per_image;
    if (gpu && cpu) return fmt::format("{:.3g} (GPU {:.3g}, CPU {:.3g})", *gpu + *cpu, *gpu, *cpu);
    if (gpu) return fmt::format("{:.3g} (GPU)", *gpu);
    if (cpu) return fmt::format("{:.3g} (CPU)", *cpu);
    return "–";
}

}  // namespace fovea
