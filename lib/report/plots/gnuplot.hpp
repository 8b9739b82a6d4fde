#pragma once

#include <chrono>
#include <string>

namespace fovea::report {

class PlotScript;

/// Runs gnuplot on a script and returns what it prints (with `set terminal svg` and no `set output`:
/// the SVG).
///
/// gnuplot is found on PATH and started without a shell; script and output pass through memory files, so
/// nothing is left on disk. The user's start-up files and locale have no influence. \throws Error if gnuplot
/// is not installed, ends with an error (its message is quoted), prints nothing, or is not done within
/// `timeout` (it is killed then).
std::string run_gnuplot(const PlotScript& script,
                        std::chrono::milliseconds timeout = std::chrono::seconds(60));

/// Checks that gnuplot runs, before long work that needs it at its end. \throws Error as run_gnuplot().
void require_gnuplot();

}  // namespace fovea::report
