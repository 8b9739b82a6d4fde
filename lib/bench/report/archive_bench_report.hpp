#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lib/bench/archive_benchmark.hpp"
#include "lib/json/json_fwd.hpp"
#include "lib/report/model/table.hpp"

namespace fovea::report {

/// A row for everything that was measured: images/s with quartiles, the measured limit and its share, the
/// stage that was the limit, joules per image, peak memory, start-up. Rows that did not run say why.
Table archive_table(const ArchiveBenchmark& benchmark);

/// Why rows did not run, and what the limits are; a line each.
std::vector<std::string> archive_verdicts(const ArchiveBenchmark& benchmark);

Json archive_benchmark_json(const ArchiveBenchmark& benchmark);

/// Writes bench.json (as given), table.html, table.md and, if any row ran, archive.svg and archive.pdf into a
/// folder, which is made if it is not there. \param machine the devices and the archive, for people. \throws
/// Error if a file cannot be written or gnuplot fails.
void write_archive_benchmark(const std::filesystem::path& folder, const Json& json,
                             const ArchiveBenchmark& benchmark, const std::string& machine);

}  // namespace fovea::report
