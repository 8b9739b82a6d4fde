#pragma once

#include <string>

#include "lib/bench/benchmark.hpp"

namespace fovea {

/// A benchmark for people: a table of times a size; speed-ups by size where there are several; what each
/// stage rejects, at the largest size; what each optimisation brings. "–" is what was not measured.
std::string benchmark_tables(const DetectionBenchmark& benchmark);

}  // namespace fovea
