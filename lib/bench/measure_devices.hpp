#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "lib/bench/figures.hpp"

namespace fovea {

/// The work of `fovea devices --measure`.
struct MeasureRequest {
    int repeat = 15;
    bool quick = false;                             ///< small buffers and short runs: to test that all works
    int threads = 1;                                ///< for the host's copy with several threads
    std::filesystem::path image;                    ///< JPEG to decode; empty = a synthetic one
    std::function<void(const std::string&)> stage;  ///< is called before each measurement; may be empty
};

struct Measurements {
    std::vector<Figure> figures;
    std::vector<std::string> notes;  ///< sentences on figures that could not be measured
    std::string jpeg;                ///< JpegSample::description of the decoded file
    std::string host_simd;           ///< instructions of the host's integer operations
};

/// Measures the CPU and every GPU that CUDA sees, one after the other.
///
/// Parts that the machine lacks (a GPU, nvJPEG, JPEG engines) become notes. \throws DeviceError naming a GPU
/// that fails; UsageError or ImageError for the image.
Measurements measure_devices(const MeasureRequest& request);

}  // namespace fovea
