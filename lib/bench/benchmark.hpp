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
    int host_batch = 1;   ///< images that the CPU is given at once, beside one by one
    int cuda_batch = 32;  ///< images that the GPUs are given at once, beside one by one
    int threads = 0;      ///< of what is not timed; 0 = all cores
};

/// A cascade or YuNet that OpenCV runs for its speed, because it has none like the subject, or to see which
/// is faster.
struct BenchmarkRival {
    std::filesystem::path model;
    DetectorOptions options;
};

/// The detector that is measured, and its parameters.
struct BenchmarkSubject {
    const Detector& detector;     ///< on the CPU; its boxes are what every backend is held against
    std::filesystem::path model;  ///< its file: the same cascade, for OpenCV
    DetectorOptions options;
    std::optional<BenchmarkRival> rival;  ///< what OpenCV runs instead; its boxes are not compared
};

/// The photographs at one size.
struct MeasuredSize {
    Size size;               ///< 0x0 = as they are, and not all alike
    std::size_t images = 0;  ///< those below are sums over them
    double pixels = 0;
    double windows = 0;  ///< places on the levels' grids; 0 = the detector scans none
    std::size_t boxes = 0;
};

/// One backend at one size and batch.
struct Measurement {
    std::size_t size = 0;  ///< index into sizes
    BackendInfo backend;
    int batch = 1;
    EngineTimes ms_per_image;  ///< one entry a repetition, of all photographs, divided by their number
};

struct DetectionBenchmark {
    std::vector<MeasuredSize> sizes;
    std::vector<Measurement> measurements;
    std::vector<std::string> differences;  ///< one sentence for each backend whose boxes are not the CPU's
    std::vector<std::string> failures;     ///< one sentence for each GPU backend and size that failed
    bool interrupted = false;              ///< fewer repetitions than asked for
};

/// The cascade that is measured against --against opencv where OpenCV cannot run the subject's.
inline constexpr const char* default_rival = "lbpcascade_frontalface";

/// The model that OpenCV runs beside a detector: nothing for the detector's own model; else the model of a
/// name, with the subject's limits of size and, of a cascade, its scale factor; of YuNet, the faces that
/// `fovea detect` reports.
/// \param name empty = default_rival if OpenCV has no detectors of the subject's kind.
/// \throws UsageError as find_model, and if the model is none that OpenCV can run.
std::optional<BenchmarkRival> choose_rival(const Detector& subject, const DetectorOptions& options,
                                           const std::string& name);

/// Times detection on photographs, by backend, size and batch. Decoding and resizing are not timed; the boxes
/// of every backend are compared before it is timed, which also warms it up.
///
/// The CPU and OpenCV take turns, with the same number of threads, and each is first as often as the other,
/// so that a drifting clock rate meets both. Their total is the time of one call an image, from grey pixels
/// to boxes. The CPU's parts are measured after that (CascadeEngine::measure). GPUs are measured by
/// CascadeEngine::measure alone; one that fails is recorded and the others are measured. Once cancelled, the
/// repetition in flight is the last.
///
/// \throws UsageError as check_benchmark_size; Error if OpenCV cannot read its model; what the CPU's
/// engine throws.
DetectionBenchmark run_detection_benchmark(const BenchmarkSubject& subject,
                                           const std::vector<Photograph>& photographs,
                                           const std::vector<BenchmarkBackend>& backends,
                                           const DetectionBenchmarkRequest& request, const RunHooks& hooks);

/// "1920x1080", or "as they are".
std::string size_name(Size size);

/// Frames (images) per second, from the median of the total (or of `part`); 0 if it was not measured.
double frames_per_second(const Measurement& measurement,
                         std::vector<double> EngineTimes::*part = &EngineTimes::total_ms);

/// The baseline of one size's speed-ups: the CPU with the fewest threads, one image at a time; null if the
/// CPU was not measured there.
const Measurement* speedup_baseline(const DetectionBenchmark& benchmark, std::size_t size);

/// How many times as fast as the baseline; 0 without one.
double speedup(const DetectionBenchmark& benchmark, const Measurement& measurement);

}  // namespace fovea
