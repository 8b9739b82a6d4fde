#pragma once

#include <vector>

#include "lib/bench/benchmark.hpp"
#include "lib/report/model/table.hpp"

namespace fovea::report {

/// The tables of a benchmark: the times of each size; with several sizes, the times of a backend by size
/// (Tek 2012, table 4.1) and the speed-ups; the windows of the largest size that each stage rejects; the gain
/// of each optimisation. Columns that no row fills are left out.
std::vector<Table> benchmark_tables(const DetectionBenchmark& benchmark);

}  // namespace fovea::report
