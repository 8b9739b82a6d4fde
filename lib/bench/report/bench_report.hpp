#pragma once

#include <filesystem>

#include "lib/bench/benchmark.hpp"
#include "lib/json/json_fwd.hpp"

namespace fovea::report {

/// \throws Error if there is no such folder and none can be made, or if no file can be written into it.
void make_benchmark_folder(const std::filesystem::path& folder);

/// Writes bench.json (as given), bench.csv, bench.html, bench.md and the plots of benchmark_plots() as SVG
/// and PDF into a folder, which is made if it is missing. Files take their places together; pictures of an
/// earlier benchmark that this one does not have are removed. If the plots cannot be drawn, the numbers are
/// written all the same. \throws Error if a file cannot be written, and as run_gnuplot().
void write_benchmark_report(const std::filesystem::path& folder, const Json& json,
                            const DetectionBenchmark& benchmark);

}  // namespace fovea::report
