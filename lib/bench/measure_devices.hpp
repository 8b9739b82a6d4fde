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
    bool quick = false;           ///< small buffers and short runs: shows that all works, not how fast it is
    int threads = 1;              ///< of the host's copy with several threads
    std::filesystem::path image;  ///< JPEG to decode; empty = a synthetic one
    std::function<void(const std::string&)> stage;  ///< told before each measurement; may be empty
};

struct Measurements {
    std::vector<Figure> figures;
    std::vector<std::string> notes;  ///< what could not be measured, and why: sentences
    std::string jpeg;                ///< what the decoders were given
    std::string host_simd;           ///< instructions of the host's integer operations
};

/// Measures the CPU and every GPU that CUDA sees, one after the other.
///
/// Whatever the machine does not have (a GPU, nvJPEG, JPEG engines) becomes a note. \throws DeviceError,
/// naming the GPU, if one fails; UsageError or ImageError for the image.
Measurements measure_devices(const MeasureRequest& request);

}  // namespace fovea
