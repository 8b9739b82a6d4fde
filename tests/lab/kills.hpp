#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lib/job/detection_job.hpp"

namespace fovea {

struct KillTestRequest {
    /// Program, "detect" or "track", images and flags. The test adds --out, --features and --resume
    /// itself.
    std::vector<std::string> command;
    bool features = false;         ///< --features as well, of "detect"
    std::filesystem::path folder;  ///< for results; made, and emptied first
    int kills = 20;
    std::uint64_t seed = 1;
};

/// The outcome of a job that was killed again and again.
struct KillTestResult {
    std::size_t images = 0;            ///< of the uninterrupted run
    double uninterrupted_seconds = 0;  ///< of it, from start to end
    int kills = 0;
    int torn =
        0;  ///< of them, followed by a loss of what was not yet on the disk, and by garbage at ends of files
    int resumed = 0;          ///< of them, after which part of the work was done and stayed
    int finished = 0;         ///< jobs that came to their end in spite of it
    std::size_t lost = 0;     ///< lines of finished jobs that were not there, summed
    std::size_t doubled = 0;  ///< or there more often than in the uninterrupted run
    int different = 0;        ///< finished jobs of which any byte was not as in the uninterrupted run
    bool interrupted = false;

    bool passed() const { return lost == 0 && doubled == 0 && different == 0; }
};

/// Runs a job once to its end, then with --resume kills it with SIGKILL after random times (a third
/// each early, in the middle and late) and lets it go on, until so many kills were done; a job that comes to
/// its end is compared and begun anew. After every other kill, on average, its files are left as a loss of
/// power may leave them: what was not synced yet is cut at a random place, with zeros or garbage at the end.
/// \throws Error with the program's own words if it fails.
KillTestResult run_kill_test(const KillTestRequest& request, const JobHooks& hooks);

/// Lines by the image that they are of, compared: how many `now` has too few and too many.
struct LineDifference {
    std::size_t lost = 0;
    std::size_t doubled = 0;
};
LineDifference compare_lines(std::string_view whole, std::string_view now);

}  // namespace fovea
