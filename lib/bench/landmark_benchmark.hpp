#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lib/bench/bench_device.hpp"
#include "lib/image/formats/image.hpp"
#include "lib/job/detection_job.hpp"
#include "lib/landmark/landmarker.hpp"

namespace fovea {

struct LandmarkBenchmarkRequest {
    std::vector<std::size_t> batches;  ///< numbers of faces per batch, each at least 1
    int repeat = 20;
    std::vector<BenchDevice> backends;
};

/// Times of one batch on one backend, milliseconds for the whole batch.
struct LandmarkMeasurement {
    std::string backend;  ///< "cpu, 1 thread" or "cuda:0"
    std::string device;   ///< "cpu" or "cuda:0"
    int threads = 0;      ///< 0 on a GPU
    std::size_t faces = 0;
    std::vector<double> total_ms;     ///< from images and boxes to landmarks in host memory
    std::vector<double> resident_ms;  ///< only a GPU: from images and boxes to landmarks in its memory
    bool equal = true;                ///< landmarks equal the first backend's in every bit
};

/// Times landmarks. Batches are filled with `faces`, each time moved by a few pixels.
/// \param faces at least one; boxes of the model's own convention.
/// \throws DeviceError; std::bad_alloc.
std::vector<LandmarkMeasurement> benchmark_landmarks(const LandmarkModel& model,
                                                     const std::vector<ImageView<const std::uint8_t>>& images,
                                                     const std::vector<LandmarkTask>& faces,
                                                     const LandmarkBenchmarkRequest& request,
                                                     const JobHooks& hooks);

}  // namespace fovea
