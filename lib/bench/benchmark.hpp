#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lib/bench/benchmark_backends.hpp"
#include "lib/bench/benchmark_images.hpp"
#include "lib/bench/benchmark_timing.hpp"
#include "lib/detect/detector.hpp"

namespace fovea {

struct DetectionBenchmarkRequest {
    std::vector<Size> sizes;  ///< the photographs are resized to each in turn; empty = as they are
    Repetitions repetitions;
    int host_batch = 1;   ///< images per batch on the CPU, which also gets single images
    int cuda_batch = 32;  ///< images per batch on GPUs, which also get single images
    int threads = 0;      ///< for work that is not timed; 0 = all cores
};

/// A cascade or YuNet that OpenCV runs to compare the speed, e.g. because OpenCV cannot run the subject.
struct BenchmarkRival {
    std::filesystem::path model;
    DetectorOptions options;
};

/// The detector that is measured, and its parameters.
struct BenchmarkSubject {
    const Detector& detector;     ///< on the CPU; every backend's boxes are compared with its boxes
    std::filesystem::path model;  ///< its file, for OpenCV
    DetectorOptions options;
    std::optional<BenchmarkRival> rival;  ///< the model that OpenCV runs instead; its boxes are not compared
};

/// The photographs at one size.
struct MeasuredSize {
    Size size;               ///< 0x0 = as they are, and of several sizes
    std::size_t images = 0;  ///< the next members are sums over them
    double pixels = 0;
    double windows = 0;  ///< places on the levels' grids; 0 = the detector scans no windows
    std::size_t boxes = 0;
};

/// One backend at one size and batch.
struct Measurement {
    std::size_t size = 0;  ///< index into sizes
    BackendInfo backend;
    int batch = 1;
    EngineTimes ms_per_image;  ///< one entry per repetition: the mean over all photographs
};

struct DetectionBenchmark {
    std::vector<MeasuredSize> sizes;
    std::vector<Measurement> measurements;
    std::vector<std::string> differences;  ///< a sentence for each backend whose boxes differ from the CPU's
    std::vector<std::string> failures;     ///< one sentence for each GPU backend and size that failed
    bool interrupted = false;              ///< fewer repetitions than asked for
};

/// The cascade that OpenCV runs for --against opencv if it cannot run the subject's model.
inline constexpr const char* default_rival = "lbpcascade_frontalface";

/// The model that OpenCV runs beside a detector, with the subject's limits of size and, for cascades, its
/// scale factor; for YuNet, with the scores that `fovea detect` reports. Nothing if OpenCV runs the
/// detector's own model.
/// \param name the model's; empty = default_rival if OpenCV has no detectors of the subject's kind.
/// \throws UsageError as find_model(), and if OpenCV cannot run the model.
std::optional<BenchmarkRival> choose_rival(const Detector& subject, const DetectorOptions& options,
                                           const std::string& name);

/// Times detection on photographs, by backend, size and batch. Decoding and resizing are not timed. The boxes
/// of every backend are compared before it is timed, which also warms it up.
///
/// The CPU and OpenCV take turns with the same number of threads, and each is first equally often, so a
/// drifting clock rate affects both. Their total is the time of one call per image, from grey pixels to
/// boxes. Then the CPU's parts are measured by CascadeEngine::measure(), as all of a GPU's times are. A GPU
/// that fails is recorded, and the others are measured. Once cancelled, the current repetition is the last.
///
/// \throws UsageError as check_benchmark_size(); Error if OpenCV cannot read its model; as the CPU's engine.
DetectionBenchmark run_detection_benchmark(const BenchmarkSubject& subject,
                                           const std::vector<Photograph>& photographs,
                                           const std::vector<BenchmarkBackend>& backends,
                                           const DetectionBenchmarkRequest& request, const JobHooks& hooks);

/// "1920x1080", or "as they are".
std::string size_name(Size size);

/// Images per second, from the median of the total (or of `part`); 0 if it was not measured.
double frames_per_second(const Measurement& measurement,
                         std::vector<double> EngineTimes::*part = &EngineTimes::total_ms);

/// The baseline of one size's speed-ups: the CPU with the fewest threads, one image at a time; null if the
/// CPU was not measured there.
const Measurement* speedup_baseline(const DetectionBenchmark& benchmark, std::size_t size);

/// The speed divided by the baseline's; 0 without a baseline.
double speedup(const DetectionBenchmark& benchmark, const Measurement& measurement);

}  // namespace fovea
