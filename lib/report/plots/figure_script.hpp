#pragma once

#include "lib/report/model/plot.hpp"
#include "lib/report/plots/plot_script.hpp"

namespace fovea::report {

/// gnuplot's commands for a plot, which follow prelude(). Equal plots give equal commands.
PlotScript figure_script(const Plot& plot);

/// Rows of the plot's key: its series with names, or 0 where there are fewer than two.
std::size_t figure_key_rows(const Plot& plot);

}  // namespace fovea::report
