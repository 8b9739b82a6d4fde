#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lib/bench/video_benchmark.hpp"

namespace fovea {

/// The frames per second of decoding alone.
struct VideoDecodeLimit {
    std::string name;  ///< "14 sessions of NVDEC on cuda:0"
    std::vector<double> frames_per_second;
};

/// Measures all decoding engines of the GPUs at once, on parts that lie in memory; frames become grey in the
/// GPU's memory. \param repeat measurements after one that warms up. \throws VideoError, DeviceError
VideoDecodeLimit measure_gpu_decode_limit(const std::vector<std::filesystem::path>& files,
                                          const std::vector<int>& gpus, int repeat);

/// Measures FFmpeg alone; frames are not converted. \param threads 0 = all cores.
VideoDecodeLimit measure_cpu_decode_limit(const std::filesystem::path& file, int threads, int repeat);

/// Measures detection alone on the video's first frames in host memory. \param detector on the CPU.
/// \return frames per second
double measure_detection_alone(const std::filesystem::path& file, const LoadedDetector& detector);

/// Decodes and detects a stream frame by frame: see LiveResult. \throws VideoError, DeviceError
LiveResult measure_live(const std::filesystem::path& file, std::size_t max_frames,
                        const LoadedDetector& detector, const DetectionDevice& device);

}  // namespace fovea
