#pragma once

// What Device needs of CUDA. device.cu defines it, or device.cpp where the program is built without CUDA.
namespace fovea::cuda_backend {

void* open_stream(int index);
void close_stream(int index, void* stream) noexcept;
void synchronize(int index, void* stream);

}  // namespace fovea::cuda_backend
