#pragma once

#include <cstddef>
#include <string>

#include "kernels/core/device.hpp"

// The parts of CUDA that Device and Buffer need. gpu_device.cu defines them, or gpu_device_stub.cpp where the
// program is built without CUDA. `index` is CUDA's number of the GPU. All but noexcept functions throw
// DeviceError if a call fails.
namespace fovea::cuda_backend {

/// The error of an operation that needs CUDA, in a program that was built without it.
/// \param refusal such as "cannot resize on cuda:0".
inline DeviceError built_without_cuda(const std::string& refusal) {
    return DeviceError(refusal + ": this program was built without CUDA; build it where nvcc is installed");
}

/// Makes the GPU current for the calling thread, with the context that the CUDA runtime uses.
void select(int index);
void* open_stream(int index, GpuShare share);
void close_stream(int index, void* stream) noexcept;
void synchronize(int index, void* stream);
void* make_event(int index);
void drop_event(int index, void* event) noexcept;
void record_event(void* stream, void* event);
void wait_for_event(const void* event);
/// The memory is not cleared. \throws std::bad_alloc if there is not enough.
void* allocate(int index, std::size_t bytes);
void release(int index, void* memory) noexcept;
/// Queues a copy on the stream; source and destination may each be host or device memory.
void copy(int index, void* stream, void* destination, const void* source, std::size_t bytes);

}  // namespace fovea::cuda_backend
