#pragma once

#include <string>

#include "lib/bench/archive_benchmark.hpp"
#include "lib/bench/benchmark.hpp"
#include "lib/bench/landmark_benchmark.hpp"
#include "lib/bench/recognition_benchmark.hpp"
#include "lib/bench/report/bench_record.hpp"
#include "lib/bench/track/track_benchmark.hpp"
#include "lib/bench/video_benchmark.hpp"

namespace fovea::report {

// The records of the benchmarks: they name each number, once for all files and tables.

/// Lists: "sizes" has the photographs at each size. "measurements" has milliseconds per image by part;
/// frames, windows (all places on the grids) and megapixels per second from the median total; the speed-up
/// over the CPU with the fewest threads; on GPUs frames_per_second_resident and
/// frames_per_second_from_pinned_memory from the medians of these parts.
///
/// Plots, if they show anything: bench_frames and bench_speedup by size, with a line for each backend and
/// batch (Gangadhar, figure 25); bench_parts, at the largest size, the shares of upload, preprocessing, scan,
/// grouping and download.
BenchRecord detection_record(const DetectionBenchmark& benchmark);

/// "CUDA × 2, batch of 32"; for single images without the batch.
std::string measurement_name(const Measurement& measurement);

/// List "rows": images/s, the measured limit, the share of it that was reached, the stage that was the limit,
/// joules per image, peak memory, start-up. The plot "archive" shows the shares.
BenchRecord archive_record(const ArchiveBenchmark& benchmark, const std::string& machine);

/// Lists: "rows" has one job per row, as archive_record(). "live" has streams that were detected frame by
/// frame; the latency of every frame is in latency.csv and a plot.
BenchRecord video_record(const VideoBenchmark& benchmark, const std::string& machine);

/// List "measurements": milliseconds per batch.
BenchRecord landmark_record(const std::vector<LandmarkMeasurement>& measurements, const std::string& machine);

/// Lists "features" and "searches": tables 4.2 and 4.3 of Tek 2012 for this machine, beside his figures.
BenchRecord recognition_record(const RecognitionBenchmark& benchmark, const std::string& machine);

/// Lists: "times" has milliseconds per frame, "flow" optical flow alone, beside OpenCV's. All frames are
/// in frames.csv.
BenchRecord track_record(const TrackBenchmark& benchmark, const std::string& machine);

}  // namespace fovea::report
