#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lib/bench/archive_benchmark.hpp"

namespace fovea {

/// Measures the speed of decoding files of one size to grey, and doing nothing else: by all threads, or by
/// the fastest number of nvJPEG decoders.
/// \param files    at least one; they are decoded in turn, from memory
/// \param device   its first GPU decodes
/// \param seconds  the time of one measurement
/// \throws ImageError, DeviceError
MeasuredLimit measure_decode_limit(const DecodeLimit& limit, Size size,
                                   const std::vector<std::filesystem::path>& files,
                                   const DetectionDevice& device, double seconds);

}  // namespace fovea
