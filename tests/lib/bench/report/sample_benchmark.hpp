#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lib/bench/benchmark.hpp"

namespace fovea::test {

/// Three repetitions around a median: 20 % below it and 20 % above it.
inline std::vector<double> three_times(double median_ms) {
    return {1.2 * median_ms, 0.8 * median_ms, median_ms};
}

inline EngineTimes host_times(double total_ms) {
    EngineTimes times;
    times.preprocessing_ms = three_times(0.25 * total_ms);
    times.scan_ms = three_times(0.7 * total_ms);
    times.grouping_ms = three_times(0.05 * total_ms);
    times.total_ms = three_times(total_ms);
    return times;
}

inline EngineTimes cuda_times(double total_ms) {
    EngineTimes times = host_times(total_ms);
    times.upload_ms = three_times(0.1 * total_ms);
    times.download_ms = three_times(0.02 * total_ms);
    times.resident_ms = three_times(0.8 * total_ms);
    times.pinned_ms = three_times(0.9 * total_ms);
    return times;
}

/// The windows of two scales and a cascade of three stages: of 1000 visited ones, 400 are flat, 500 and 90
/// are rejected by the first two stages and 10 pass; on the second scale 10 windows pass and 90 do not.
inline RejectionTable sample_rejections() {
    PyramidLevel fine;
    fine.box = {20, 20};
    PyramidLevel coarse;
    coarse.scale = 1.5F;
    coarse.box = {30, 30};
    WindowTrace trace;
    trace.levels.resize(2);
    const auto add = [](WindowTrace::Level& level, std::size_t count, std::int16_t stages_passed) {
        level.stages_passed.insert(level.stages_passed.end(), count, stages_passed);
    };
    add(trace.levels[0], 200, WindowTrace::skipped);
    add(trace.levels[0], 400, WindowTrace::flat);
    add(trace.levels[0], 500, 0);
    add(trace.levels[0], 90, 1);
    add(trace.levels[0], 10, 3);
    add(trace.levels[1], 90, 2);
    add(trace.levels[1], 10, 3);
    RejectionTable table;
    table.add(std::vector{3, 5, 10}, std::vector<PyramidLevel>{fine, coarse}, trace);
    return table;
}

/// Two sizes; CPU with one thread (100 ms, 400 ms) and two, OpenCV, one GPU alone and in batches of 32; one
/// optimisation that brings a factor of 1.5 and one that costs.
inline DetectionBenchmark sample_benchmark() {
    DetectionBenchmark benchmark;
    benchmark.sizes.resize(2);
    benchmark.sizes[0] = {{640, 480}, 2, 2 * 640.0 * 480, 2000, 4, {}};
    benchmark.sizes[1] = {{1280, 960}, 2, 2 * 1280.0 * 960, 8000, 6, sample_rejections()};
    const BackendInfo one{BackendInfo::Kind::cpu, 1, 0};
    const BackendInfo two{BackendInfo::Kind::cpu, 2, 0};
    const BackendInfo gpu{BackendInfo::Kind::cuda, 1, 1};
    const BackendInfo opencv{BackendInfo::Kind::opencv, 1, 0};
    for (std::size_t size = 0; size < 2; ++size) {
        const double ms = size == 0 ? 100 : 400;
        benchmark.measurements.push_back({size, one, 1, host_times(ms)});
        benchmark.measurements.push_back({size, two, 1, host_times(ms / 2)});
        benchmark.measurements.push_back({size, gpu, 1, cuda_times(ms / 100)});
        benchmark.measurements.push_back({size, gpu, 32, cuda_times(ms / 400)});
        EngineTimes total_only;
        total_only.total_ms = three_times(4 * ms);
        benchmark.measurements.push_back({size, opencv, 1, total_only});
    }
    const Measurement full{1, gpu, 32, cuda_times(1)};
    benchmark.variants.push_back({"compaction", full, cuda_times(1.5)});
    benchmark.variants.push_back({"streams", full, cuda_times(0.95)});
    return benchmark;
}

}  // namespace fovea::test
