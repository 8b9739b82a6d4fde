#include <spdlog/fmt/fmt.h>

#include "lib/bench/benchmark.hpp"
#include "lib/core/time_summary.hpp"

namespace fovea {
std::string size_name(Size size) {
    return size.width == 0 ? "as they are" : fmt::format("{}x{}", size.width, size.height);
}

double frames_per_second(const Measurement& measurement, std::vector<double> EngineTimes::*part) {
    const double ms = median_time(measurement.ms_per_image.*part);
    return ms > 0 ? 1000 / ms : 0;
}

const Measurement* speedup_baseline(const DetectionBenchmark& benchmark, std::size_t size) {
    const Measurement* baseline = nullptr;
    for (const Measurement& measurement : benchmark.measurements) {
        if (measurement.size != size || measurement.backend.kind != BackendInfo::Kind::cpu ||
            measurement.batch != 1) {
            continue;
        }
        if (baseline == nullptr || measurement.backend.threads < baseline->backend.threads) {
            baseline = &measurement;
        }
    }
    return baseline;
}

double speedup(const DetectionBenchmark& benchmark, const Measurement& measurement) {
    const Measurement* baseline = speedup_baseline(benchmark, measurement.size);
    const double ms = median_time(measurement.ms_per_image.total_ms);
    return baseline == nullptr || !(ms > 0) ? 0 : median_time(baseline->ms_per_image.total_ms) / ms;
}

}  // namespace fovea
