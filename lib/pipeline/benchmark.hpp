#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "lib/pipeline/detection_job.hpp"

namespace fovea {

struct DetectionBenchmarkRequest {
    std::filesystem::path image;
    std::optional<Size> size;     ///< the image is resized to this first
    int repeat = 20;              ///< at least 1
    bool against_opencv = false;  ///< measure OpenCV's detector beside it
    int threads = 0;              ///< of both; 0 = all cores
};

struct DetectionBenchmark {
    Size size;  ///< of the pixels scanned
    int threads = 0;
    std::size_t boxes = 0;
    std::vector<double> fovea_ms;
    std::vector<double> opencv_ms;  ///< empty unless asked for
    bool same_boxes = true;         ///< as OpenCV's, with their scores
    bool interrupted = false;       ///< fewer repetitions than asked for
};

/// Times detection in one image. Decoding and resizing are not timed; after a warm-up both detectors take
/// turns on the same pixels, and their boxes are compared. Once cancelled, the repetition in flight is the
/// last. \throws Error if the image cannot be read; UsageError if the size has no pixel.
DetectionBenchmark run_detection_benchmark(const LoadedDetector& detector,
                                           const DetectionBenchmarkRequest& request, const RunHooks& hooks);

}  // namespace fovea
