#include "lib/bench/decode_limits.hpp"

#include <algorithm>
#include <array>

#include <spdlog/fmt/fmt.h>

#include "lib/bench/jpeg_rate.hpp"
#include "lib/core/text.hpp"
#include "lib/core/threads.hpp"
#include "lib/core/time_summary.hpp"
#include "lib/files/file.hpp"

namespace fovea {
namespace {

constexpr int repeat = 3;

// The load that keeps each backend busy differs between chips: all are tried for a short time.
constexpr std::array engine_loads{NvJpegLoad{1, 64}, NvJpegLoad{2, 64}, NvJpegLoad{4, 64},
                                  NvJpegLoad{2, 128}};
constexpr std::array multiprocessor_loads{NvJpegLoad{1, 128}, NvJpegLoad{2, 128}, NvJpegLoad{4, 128},
                                          NvJpegLoad{8, 64}};

double median_rate(const Timing& timing) {
    return timing.work / summarise_times(timing.seconds).median_ms;
}

template <class Loads>
double fastest(int gpu, NvJpegBackend backend, const std::vector<JpegSample>& samples, const Loads& loads,
               double seconds) {
    NvJpegLoad best = loads[0];
    double best_rate = 0;
    for (const NvJpegLoad& load : loads) {
        const double rate = median_rate(measure_nvjpeg(gpu, backend, samples, load, seconds / 4, 1));
        if (rate > best_rate) {
            best = load;
            best_rate = rate;
        }
    }
    return median_rate(measure_nvjpeg(gpu, backend, samples, best, seconds, repeat));
}

}  // namespace

MeasuredLimit measure_decode_limit(const DecodeLimit& limit, Size size,
                                   const std::vector<std::filesystem::path>& files,
                                   const DetectionDevice& device, double seconds) {
    MeasuredLimit measured{size, limit, {}, 0, {}};
    std::vector<JpegSample> samples;
    for (const std::filesystem::path& file : files) {
        const std::string bytes = read_file(file);
        samples.push_back({file.string(), size, {bytes.begin(), bytes.end()}});
    }
    if (!limit.backend) {
        const int threads = resolve_threads(limit.threads);
        measured.name = "TurboJPEG, " + counted(static_cast<std::size_t>(threads), "thread");
        measured.images_per_second = median_rate(measure_cpu_jpeg(samples, threads, seconds, repeat));
        return measured;
    }
    const bool engines = *limit.backend == NvJpegBackend::engines;
    const int gpu = device.gpus.at(0);
    measured.name = fmt::format("{} of cuda:{}", engines ? "JPEG engines" : "nvJPEG, multiprocessors", gpu);
    try {
        const double one = engines ? fastest(gpu, *limit.backend, samples, engine_loads, seconds)
                                   : fastest(gpu, *limit.backend, samples, multiprocessor_loads, seconds);
        measured.images_per_second = one * static_cast<double>(device.gpus.size());
        if (device.gpus.size() > 1) measured.name += fmt::format(" × {}", device.gpus.size());
    } catch (const NvJpegUnavailable& none) {
        measured.unavailable = none.what();
    } catch (const NvJpegRefused& refused) {
        measured.unavailable = refused.what();
    }
    return measured;
}

}  // namespace fovea
