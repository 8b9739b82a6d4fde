#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lib/bench/archive_benchmark.hpp"

namespace fovea {

/// Measures how fast files of one size are decoded to grey and nothing else is done: by all threads, or by as
/// many decoders of nvJPEG as are fastest. \param files  that are decoded in turn from memory, at least one
/// \param device  its first GPU decodes
/// \throws ImageError, DeviceError
MeasuredLimit measure_decode_limit(const DecodeLimit& limit, Size size,
                                   const std::vector<std::filesystem::path>& files,
                                   const DetectionDevice& device, double seconds);

}  // namespace fovea
