#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "lib/core/job_hooks.hpp"
#include "lib/json/json_fwd.hpp"

namespace fovea {

/// The ways in which a command shows its progress.
enum class ProgressStyle {
    none,
    bar,    ///< redrawn in the last line of a terminal
    lines,  ///< a sentence now and then, for a log
    json,   ///< an object per line, for programs
};

/// Chooses the style. \param choice --progress: off, auto or json. \param quiet --quiet: no bar and no lines.
/// \param is_terminal standard error is a terminal that can draw a bar.
ProgressStyle progress_style(const std::string& choice, bool quiet, bool is_terminal);

/// The progress of a stage of a command.
struct StageProgress {
    std::string stage;
    double seconds = 0;  ///< since the stage began
    JobProgress now;

    /// The share that is done, 0 to 1; 0 if the total is not known.
    double share() const;
    /// The images, or other units, per second of this run.
    double rate() const;
    /// The seconds left at rate(); nothing before anything is done.
    std::optional<double> seconds_left() const;
};

/// "detecting [=====     ]  21 % 107/510  8.3 images/s  0:48 left  ...", cut off at `columns`.
std::string progress_bar(const StageProgress& progress, std::size_t columns);

/// "detecting: 21 % (107 of 510 images), 8.3 images/s, 0:48 left".
std::string progress_line(const StageProgress& progress);

/// {"progress": {"stage", "done", "total", "unit", "seconds", "seconds_left"}}; "seconds_left" is null before
/// anything is done. A share has done and total from 0 to 1000, and "unit" is null.
Json progress_json(const StageProgress& progress);

/// {"progress": {"stage", "seconds", "round": {NAME: number}}}: the numbers of a round of a training.
Json round_json(const std::string& stage, double seconds, const JobRound& round);

/// Decides when the progress of a stage is shown next.
class ProgressPace {
  public:
    using Time = std::chrono::steady_clock::time_point;
    using Duration = std::chrono::steady_clock::duration;

    /// \param interval  the time between two; also before the first one, unless `at_once`
    ProgressPace(Duration interval, bool at_once) : interval_(interval), at_once_(at_once) {}

    /// Begins a stage.
    void begin(Time now);
    /// True if progress is to be shown now. \param is_end all is done: it is then shown once, if any progress
    /// of the stage was shown before.
    bool is_due(Time now, bool is_end);

  private:
    Duration interval_;
    bool at_once_;
    bool has_told_ = false;
    bool has_ended_ = false;
    Time last_;
};

}  // namespace fovea
