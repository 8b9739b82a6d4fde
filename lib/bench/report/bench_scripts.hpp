#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lib/bench/benchmark.hpp"
#include "lib/report/plots/plot_script.hpp"

namespace fovea::report {

/// A gnuplot script behind the prelude, and how many rows its key has.
struct BenchScript {
    PlotScript commands;
    std::size_t key_rows = 0;
};

/// Shares of the parts, one bar a backend and batch that has parts at this size.
BenchScript parts_script(const DetectionBenchmark& benchmark, std::size_t size);
/// Time without each optimisation over time with it, one bar a backend and batch.
BenchScript optimisations_script(const DetectionBenchmark& benchmark, std::size_t size);
/// Share of the visited windows rejected, one field a stage and scale.
BenchScript rejections_script(const RejectionTable& table);

/// Sum of the medians of what does not overlap: all parts but the wholes; 0 if none was measured.
double sum_of_parts(const EngineTimes& times);

// Pieces that they share.

/// A rectangle as `with boxxyerror` reads it; one line of data.
PlotScript bar(double left, double right, double top, double bottom);
/// The rectangles of the data "$block" as a part of a plot command.
PlotScript bars_plot(const PlotScript& block, const std::string& colour, const std::string& title);

/// The axis of horizontal bars: rows from top to bottom, named on the left.
PlotScript rows_axis(const std::vector<std::string>& rows);
/// The text at the right end of a row.
PlotScript value_label(const std::string& text, std::size_t row);

}  // namespace fovea::report
