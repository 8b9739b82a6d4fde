#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lib/bench/video_benchmark.hpp"

namespace fovea {

/// How many frames a second the decoders give, and nothing else is done with them.
struct VideoDecodeLimit {
    std::string name;  ///< "14 sessions of NVDEC on cuda:0"
    std::vector<double> frames_per_second;
};

/// All decoding engines of the GPUs at once, on parts that lie in memory; frames become grey in the GPU's
/// memory. \param repeat measurements behind one that warms up. \throws VideoError, DeviceError
VideoDecodeLimit measure_gpu_decode_limit(const std::vector<std::filesystem::path>& files,
                                          const std::vector<int>& gpus, int repeat);

/// FFmpeg alone, with so many threads (0 = all cores); frames stay as they are.
VideoDecodeLimit measure_cpu_decode_limit(const std::filesystem::path& file, int threads, int repeat);

/// Detection alone, of the video's first frames in host memory. \param detector on the CPU. \return frames a
/// second
double measure_detection_alone(const std::filesystem::path& file, const LoadedDetector& detector);

/// \throws VideoError, DeviceError
LiveResult measure_live(const std::filesystem::path& file, std::size_t max_frames,
                        const LoadedDetector& detector, const DetectionDevice& device);

}  // namespace fovea
