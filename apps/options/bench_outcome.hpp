#pragma once

#include <string>
#include <vector>

#include "lib/bench/benchmark.hpp"
#include "lib/core/error.hpp"
#include "lib/json/json_fwd.hpp"

namespace fovea {

/// The request of `fovea bench detect` and its result.
struct BenchResult {
    const std::vector<std::string>& arguments;  ///< the images as named on the command line
    const LoadedDetector& subject;
    const std::vector<BenchmarkBackend>& backends;
    const Photographs& photographs;
    const DetectionBenchmark& benchmark;
    int threads = 0;  ///< the most that the CPU was measured with
    const std::optional<BenchmarkRival>& rival;
};

ExitCode bench_exit_code(const BenchResult& outcome);

/// All numbers. "fovea" and "opencv" stand for the main engine (the GPUs, else the CPU with the most
/// threads) and for OpenCV, one image at a time; they are there if one size was measured.
Json bench_json(const BenchResult& outcome);

/// Tables and a verdict, for people.
std::string bench_text(const BenchResult& outcome);

}  // namespace fovea
