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

/// Two sizes; CPU with one thread (100 ms, 400 ms) and two, OpenCV, one GPU alone and in batches of 32.
inline DetectionBenchmark sample_benchmark() {
    DetectionBenchmark benchmark;
    benchmark.sizes.resize(2);
    benchmark.sizes[0] = {{640, 480}, 2, 2 * 640.0 * 480, 2000, 4};
    benchmark.sizes[1] = {{1280, 960}, 2, 2 * 1280.0 * 960, 8000, 6};
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
    return benchmark;
}

}  // namespace fovea::test
