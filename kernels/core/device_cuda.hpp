#pragma once

#include <cstddef>

#include "kernels/core/device.hpp"

// The parts of CUDA that Device and Buffer need. device.cu defines it, or device.cpp where the program is built without
// CUDA.
namespace fovea::cuda_backend {

void* open_stream(int index, GpuShare share);
void close_stream(int index, void* stream) noexcept;
void synchronize(int index, void* stream);
void* allocate(int index, std::size_t bytes);
void release(int index, void* memory) noexcept;
/// Queues a copy between any two of host and device memory on the stream.
void copy(int index, void* stream, void* destination, const void* source, std::size_t bytes);

}  // namespace fovea::cuda_backend
