#pragma once

#include <cstddef>
#include <string>

#include "kernels/core/device.hpp"

// The parts of CUDA that Device and Buffer need. gpu_device.cu defines them, or gpu_device_stub.cpp where the
// program is built without CUDA.
namespace fovea::cuda_backend {

/// The error of what needs CUDA in a program that was built without it. \param refusal such as "cannot resize
/// on cuda:0".
inline DeviceError built_without_cuda(const std::string& refusal) {
    return DeviceError(refusal + ": this program was built without CUDA; build it where nvcc is installed");
}

/// Makes the GPU's context, the one that the CUDA runtime uses, the calling thread's. \throws DeviceError
void select(int index);
void* open_stream(int index, GpuShare share);
void close_stream(int index, void* stream) noexcept;
void synchronize(int index, void* stream);
void* allocate(int index, std::size_t bytes);
void release(int index, void* memory) noexcept;
/// Queues a copy between any two of host and device memory on the stream.
void copy(int index, void* stream, void* destination, const void* source, std::size_t bytes);

}  // namespace fovea::cuda_backend
