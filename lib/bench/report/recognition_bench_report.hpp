#pragma once

#include <filesystem>
#include <string>

#include "lib/bench/recognition_benchmark.hpp"
#include "lib/json/json_fwd.hpp"
#include "lib/report/model/table.hpp"

namespace fovea::report {

/// Table 4.2 of Tek 2012 for this machine: milliseconds a face from host memory to host memory, one at a
/// time, and faces/s in the largest batch, by backend; beside them his figures.
Table feature_table(const RecognitionBenchmark& benchmark);

/// Table 4.3 likewise: milliseconds of a 1-NN search with one query (or as few as were measured), by gallery
/// and backend.
Table search_table(const RecognitionBenchmark& benchmark);

/// Searches with many queries at once: milliseconds, and terms of chi-square a second.
Table batch_table(const RecognitionBenchmark& benchmark);

Json recognition_benchmark_json(const RecognitionBenchmark& benchmark);

/// Writes bench.json (as given), report.md and report.html into a folder, which is made if it is not there.
/// \param machine the devices, for people. \return report.html. \throws Error if a file cannot be written.
std::filesystem::path write_recognition_benchmark(const std::filesystem::path& folder, const Json& json,
                                                  const RecognitionBenchmark& benchmark,
                                                  const std::string& machine);

}  // namespace fovea::report
