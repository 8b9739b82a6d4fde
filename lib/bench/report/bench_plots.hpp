#pragma once

#include <vector>

#include "lib/bench/benchmark.hpp"
#include "lib/report/model/plot.hpp"

namespace fovea::report {

/// A benchmark as pictures; those without data are left out:
/// - bench_frames: frames per second by size, a line a backend and batch;
/// - bench_speedup: times as fast as the CPU with the fewest threads, by size (Gangadhar, figure 25);
/// - bench_parts: at the largest size, the shares of upload, preprocessing, scan, grouping and download;
/// - bench_rejections: at the largest size with rejections, the share of visited windows that each stage
///   rejects, by scale (Oro et al. 2012, figure 7);
/// - bench_optimisations: at the largest size, the time without each optimisation over that with it.
std::vector<Plot> benchmark_plots(const DetectionBenchmark& benchmark);

/// Backends and batches, each once, in the order of measurement.
std::vector<std::string> measured_names(const DetectionBenchmark& benchmark);

}  // namespace fovea::report
