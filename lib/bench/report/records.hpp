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

// The records of the benchmarks: what each number is called, once for all files and tables.

/// "sizes": what the photographs are at each size. "measurements": milliseconds of one image by part, with
/// frames, windows (all places on the grids) and megapixels a second from the median total, and the speed-up
/// over the CPU with the fewest threads; frames_per_second_resident and frames_per_second_from_pinned_memory
/// from those medians, on GPUs.
///
/// Plots, where there is something to see: bench_frames and bench_speedup, by size, a line a backend and
/// batch (Gangadhar, figure 25); bench_parts: at the largest size, the shares of upload, preprocessing, scan,
/// grouping and download.
BenchRecord detection_record(const DetectionBenchmark& benchmark);

/// "CUDA × 2, batch of 32"; without the batch for images one by one.
std::string measurement_name(const Measurement& measurement);

/// "rows": images/s, the measured limit and its share, the stage that was the limit, joules per image, peak
/// memory, start-up; "archive" plots the shares.
BenchRecord archive_record(const ArchiveBenchmark& benchmark, const std::string& machine);

/// "rows": a job each, as of archives. "live": streams frame by frame, with the latency of every frame in
/// latency.csv and a plot.
BenchRecord video_record(const VideoBenchmark& benchmark, const std::string& machine);

/// "measurements": milliseconds of a batch.
BenchRecord landmark_record(const std::vector<LandmarkMeasurement>& measurements, const std::string& machine);

/// "features" and "searches": tables 4.2 and 4.3 of Tek 2012 for this machine, beside his figures.
BenchRecord recognition_record(const RecognitionBenchmark& benchmark, const std::string& machine);

/// "times": milliseconds of a frame. "flow": optical flow alone, beside OpenCV's. All frames are
/// in frames.csv.
BenchRecord track_record(const TrackBenchmark& benchmark, const std::string& machine);

}  // namespace fovea::report
