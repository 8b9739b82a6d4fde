#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "lib/job/stages/detect_images.hpp"
#include "lib/json/json_fwd.hpp"

namespace fovea {

/// The ways in which a command says how far it is.
enum class ProgressStyle {
    none,
    bar,    ///< drawn again and again in the last line of a terminal
    lines,  ///< a sentence now and then, for a log
    json,   ///< an object a line, for programs
};

/// \param choice  --progress: off, auto or json. \param quiet --quiet: no bar and no lines.
/// \param is_terminal standard error is a terminal that can draw a bar.
ProgressStyle progress_style(const std::string& choice, bool quiet, bool is_terminal);

/// How far a stage of a command is.
struct StageProgress {
    std::string stage;
    double seconds = 0;  ///< since it began
    DetectProgress now;

    /// 0 to 1; 0 where the total is not known.
    double share() const;
    /// Images, or what else is counted, in a second; those of an earlier run do not count.
    double rate() const;
    /// At the rate until now; nothing before anything is done.
    std::optional<double> seconds_left() const;
};

/// "detecting [=====     ]  21 % 107/510  8.3 images/s  0:48 left  ...", cut off at `columns`.
std::string progress_bar(const StageProgress& progress, std::size_t columns);

/// "detecting: 21 % (107 of 510 images), 8.3 images/s, 0:48 left".
std::string progress_line(const StageProgress& progress);

/// {"progress": {"stage", "done", "total", "unit", "seconds", "seconds_left"}}; "seconds_left" is null before
/// anything is done. A share has done and total from 0 to 1000, and "unit" is null.
Json progress_json(const StageProgress& progress);

/// Says when the next progress of a stage is to be told.
class ProgressPace {
  public:
    using Time = std::chrono::steady_clock::time_point;
    using Duration = std::chrono::steady_clock::duration;

    /// \param interval  between two; the first one comes when it has passed, too, unless `at_once`.
    ProgressPace(Duration interval, bool at_once) : interval_(interval), at_once_(at_once) {}

    void begin(Time now);
    /// \param is_end  all is done: told in any case if anything was told of the stage before, and once.
    bool is_due(Time now, bool is_end);

  private:
    Duration interval_;
    bool at_once_;
    bool has_told_ = false;
    bool has_ended_ = false;
    Time last_;
};

}  // namespace fovea
