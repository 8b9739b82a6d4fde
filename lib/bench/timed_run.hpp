#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lib/job/detection_job.hpp"
#include "lib/json/json.hpp"
#include "lib/process/child_process.hpp"

namespace fovea {

/// The part of run.json about a finished `fovea detect`.
struct TimedRun {
    std::size_t images = 0;
    std::size_t unreadable = 0;
    std::size_t detections = 0;
    double total_seconds = 0;  ///< the time of the work, without the program's start
    double images_per_second = 0;
    double megapixels_per_second = 0;
    std::string limit;  ///< the stage that was busy longest; empty if unknown
    /// The energy of all GPUs and of the CPU packages; empty if unknown, with the reason in `energy`.
    std::optional<double> gpu_joules_per_image, cpu_joules_per_image;
    Json timings;  ///< as in run.json
    Json energy;   ///< as in run.json; null if it has none
};

/// Reads a manifest. \param place its name in messages. \throws Error if it lacks the number of images or
/// the time.
TimedRun read_timed_run(const Json& manifest, const std::string& place);

/// A `fovea detect` that ran in a process of its own.
struct ProgramRun {
    ChildResult process;
    TimedRun run;
};

/// Runs `fovea detect`, which writes its results into the folder `out`; an older one is removed first.
/// \return nothing if it was cancelled. \throws Error with the program's own words if it fails.
std::optional<ProgramRun> run_timed(const std::vector<std::string>& command, const std::filesystem::path& out,
                                    const std::atomic<bool>* cancel);

/// A `fovea detect` that ran several times.
struct TimedRuns {
    std::vector<double> images_per_second;  ///< of each run but the first, which warms up
    double start_up_seconds = 0;            ///< median of the runs' times beside their work
    std::uint64_t peak_memory_bytes = 0;    ///< highest of all runs
    TimedRun run;                           ///< the run with the median speed

    /// The median of images/s.
    double median() const;
};

/// Runs a command, whose results go to results.jsonl in `out`, once to warm up and then `repeat` times.
/// \param work its name in stages. \return nothing if it was cancelled. \throws as run_timed(); Error if the
/// results differ from run to run.
std::optional<TimedRuns> repeat_timed(const std::vector<std::string>& command,
                                      const std::filesystem::path& out, int repeat, const std::string& work,
                                      const JobHooks& hooks);

/// \throws UsageError naming a row that is not known.
void check_rows(const std::vector<std::string>& rows, const std::vector<std::string>& known);

/// The scale factor for timed runs of a detector: 1.15; nothing for networks, which scan no windows.
/// \throws UsageError as find_model().
std::optional<double> timed_scale_factor(const std::string& model);

/// The words of a `fovea detect` with timed_scale_factor(). \throws UsageError as find_model().
std::vector<std::string> detect_command(const std::filesystem::path& program, const std::string& images,
                                        const std::string& model, const std::string& device);

/// A command in one line, as people type it.
std::string words_of(const std::vector<std::string>& command);

/// The joules per image: "0.12 (GPU 0.1, CPU 0.02)"; "–" if unknown.
std::string energy_text(const TimedRun& run);

}  // namespace fovea
