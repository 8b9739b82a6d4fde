#include "lib/bench/benchmark_backends.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>

#include <spdlog/spdlog.h>

#include "kernels/core/device.hpp"
#include "lib/config/device_choice.hpp"
#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/core/threads.hpp"

namespace fovea {
namespace {

/// \throws std::invalid_argument if GPUs cannot run the detector.
BenchmarkBackend cuda_backend(const Detector& detector, const std::vector<int>& gpus) {
    BenchmarkBackend backend;
    backend.info = {BackendInfo::Kind::cuda, 1, static_cast<int>(gpus.size()), {}};
    backend.detector = detector.copy_for_gpus(gpus, {});
    if (backend.detector == nullptr)
        throw std::invalid_argument("the detector runs on the CPU alone; use --device cpu");
    return backend;
}

// 1, 2, 4, ... and the number itself.
std::vector<int> doubling_up_to(int count) {
    std::vector<int> numbers;
    for (int n = 1; n < count; n *= 2) numbers.push_back(n);
    numbers.push_back(count);
    return numbers;
}

std::vector<BenchmarkBackend> cuda_backends(const Detector& detector, const BackendRequest& request) {
    const DetectionDevice device = open_detection_device(request.device);
    if (!device.is_cuda()) return {};
    const std::vector<int>& gpus = device.gpus;
    const int all = static_cast<int>(gpus.size());
    std::vector<BenchmarkBackend> backends;
    try {
        for (const int count : request.matrix ? doubling_up_to(all) : std::vector{all}) {
            backends.push_back(cuda_backend(detector, {gpus.begin(), gpus.begin() + count}));
        }
    } catch (const std::invalid_argument& error) {
        // Only a device that the program chose itself may be another one.
        if (!device.automatic) {
            throw UsageError("cannot measure on '" + request.device + "': " + error.what());
        }
        spdlog::warn("measuring on the CPU, as a GPU cannot run the detector: {}", error.what());
        backends.clear();
    }
    return backends;
}

}  // namespace

std::string backend_name(const BackendInfo& backend) {
    switch (backend.kind) {
        case BackendInfo::Kind::cuda:
            return backend.gpus > 1 ? "CUDA × " + std::to_string(backend.gpus) : "CUDA";
        case BackendInfo::Kind::opencv:
            return "OpenCV" + (backend.rival.empty() ? "" : " " + backend.rival) + ", " +
                   counted(static_cast<std::size_t>(backend.threads), "thread");
        case BackendInfo::Kind::cpu:
            break;
    }
    return "CPU, " + counted(static_cast<std::size_t>(backend.threads), "thread");
}

std::string backend_kind(const BackendInfo& backend) {
    switch (backend.kind) {
        case BackendInfo::Kind::cuda:
            return "cuda";
        case BackendInfo::Kind::opencv:
            return "opencv";
        case BackendInfo::Kind::cpu:
            break;
    }
    return "cpu";
}

std::vector<BenchmarkBackend> make_benchmark_backends(const Detector& detector,
                                                      const BackendRequest& request) {
    std::vector<int> threads{resolve_threads(request.threads)};
    if (request.matrix && threads[0] > 1) threads.insert(threads.begin(), 1);

    const std::vector<BenchmarkBackend> on_gpus = cuda_backends(detector, request);
    std::vector<BenchmarkBackend> backends;
    if (on_gpus.empty() || request.matrix) {
        for (const int count : threads) backends.push_back({{BackendInfo::Kind::cpu, count, 0, {}}});
    }
    backends.insert(backends.end(), on_gpus.begin(), on_gpus.end());
    if (request.against_opencv) {
        for (const int count : threads) {
            backends.push_back({{BackendInfo::Kind::opencv, count, 0, request.rival}});
        }
    }
    return backends;
}

}  // namespace fovea
