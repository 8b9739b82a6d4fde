#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lib/detect/detector.hpp"

namespace fovea {

/// A backend that detects, and the part of the machine that it uses.
struct BackendInfo {
    enum class Kind { cpu, cuda, opencv };

    Kind kind = Kind::cpu;
    int threads = 1;  ///< of the CPU and of OpenCV
    int gpus = 0;     ///< of CUDA
    /// The name of OpenCV's model if it is a rival's; empty if it is the subject's.
    std::string rival{};

    bool on_host() const { return kind != Kind::cuda; }
    friend bool operator==(const BackendInfo&, const BackendInfo&) = default;
};

/// "CPU, 1 thread", "OpenCV, 4 threads", "OpenCV lbpcascade_frontalface, 1 thread", "CUDA", "CUDA × 2".
std::string backend_name(const BackendInfo& backend);
/// "cpu", "cuda" or "opencv".
std::string backend_kind(const BackendInfo& backend);

/// A backend to measure.
struct BenchmarkBackend {
    BackendInfo info;
    /// The detector on GPUs; null for the CPU, which has the subject's, and for OpenCV, which has a class of
    /// its own.
    std::shared_ptr<const Detector> detector{};

    std::string device_name() const { return detector ? detector->device_name() : "cpu"; }
};

struct BackendRequest {
    std::string device = "auto";  ///< as for --device
    int threads = 0;              ///< 0 = all cores
    /// True: the CPU with one thread and with all, also beside GPUs, and 1, 2, 4, ... of the listed GPUs;
    /// false: only the devices of --device.
    bool matrix = false;
    bool against_opencv = false;
    std::string rival{};  ///< as BackendInfo::rival
};

/// Makes the backends to measure, with their detectors, in the order in which reports show them.
///
/// \throws UsageError as parse_device(), and if a GPU that was asked for cannot run the cascade; DeviceError
/// if it is not there.
std::vector<BenchmarkBackend> make_benchmark_backends(const Detector& detector,
                                                      const BackendRequest& request);

}  // namespace fovea
