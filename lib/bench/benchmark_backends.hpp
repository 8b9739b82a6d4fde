#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lib/detect/detector.hpp"

namespace fovea {

/// A detecting backend: which part of the program, and on how much of the machine.
struct BackendInfo {
    enum class Kind { cpu, cuda, opencv };

    Kind kind = Kind::cpu;
    int threads = 1;  ///< of the CPU and of OpenCV
    int gpus = 0;     ///< of CUDA
    /// OpenCV's model where it is a rival's, and not the one that everything else runs: for people.
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
    /// On GPUs. Null on the CPU, where the detector that is measured is, and for OpenCV, which has a class of
    /// its own.
    std::shared_ptr<const Detector> detector{};

    std::string device_name() const { return detector ? detector->device_name() : "cpu"; }
};

struct BackendRequest {
    std::string device = "auto";  ///< as --device
    int threads = 0;              ///< 0 = all cores
    /// One thread and all of them, the CPU also beside GPUs, and 1, 2, 4, ... of the GPUs listed; else only
    /// what --device names.
    bool matrix = false;
    bool against_opencv = false;
    std::string rival{};  ///< as BackendInfo::rival
};

/// The backends to measure, in the order in which reports show them. This is the only place where the
/// benchmark decides which devices there are and makes detectors for them.
///
/// \throws UsageError as parse_device, and if a GPU that was asked for cannot run the cascade; DeviceError if
/// one that was asked for is not there.
std::vector<BenchmarkBackend> make_benchmark_backends(const Detector& detector,
                                                      const BackendRequest& request);

}  // namespace fovea
