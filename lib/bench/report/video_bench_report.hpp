#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lib/bench/video_benchmark.hpp"
#include "lib/json/json_fwd.hpp"
#include "lib/report/model/table.hpp"

namespace fovea::report {

/// A row for each measured job: frames/s with quartiles, the decoder alone, the share of it, the stage that
/// was the limit, joules per frame. Rows that did not run say so.
Table video_table(const VideoBenchmark& benchmark);

/// Streams frame by frame: frames/s, latency, share of late frames. Below the published figure.
Table live_table(const VideoBenchmark& benchmark);

/// Why rows did not run, and what the limits are; a line each.
std::vector<std::string> video_notes(const VideoBenchmark& benchmark);

Json video_benchmark_json(const VideoBenchmark& benchmark);

/// Writes bench.json (as given), table.html, table.md, latency.csv (a row for each frame) and the latency's
/// curve (latency.svg and latency.pdf) into a folder, which is made if it is not there. \param machine the
/// devices, for people. \throws Error if a file cannot be written or gnuplot fails.
void write_video_benchmark(const std::filesystem::path& folder, const Json& json,
                           const VideoBenchmark& benchmark, const std::string& machine);

}  // namespace fovea::report
