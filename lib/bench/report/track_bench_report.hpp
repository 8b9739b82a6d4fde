#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lib/bench/track/track_benchmark.hpp"
#include "lib/json/json_fwd.hpp"
#include "lib/report/model/plot.hpp"

namespace fovea::report {

/// All numbers: plans, calibration, "study" (a row a setting), "drift" (a curve a K), "times", "flow".
Json track_benchmark_json(const TrackBenchmark& benchmark);

/// The error against K, drift curves, errors by clip and speed, times of the frames, and flow by points.
/// Empty parts have no plot.
std::vector<Plot> track_bench_plots(const TrackBenchmark& benchmark);

/// Writes bench.json (as given), report.html, report.md, study.csv, drift.csv, times.csv, flow.csv and the
/// plots into a folder, which is made if it is not there. \param machine the devices, for people. \return
/// report.html. \throws Error if a file cannot be written or gnuplot fails.
std::filesystem::path write_track_benchmark(const std::filesystem::path& folder, const Json& json,
                                            const TrackBenchmark& benchmark, const std::string& machine);

}  // namespace fovea::report
