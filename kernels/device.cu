#include <new>

#include "kernels/device.hpp"
#include "kernels/device_cuda.hpp"
#include "kernels/launch.cuh"

namespace fovea {

bool cuda_built() {
    return true;
}

std::string cuda_build_version() {
    return std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION % 1000 / 10);
}

std::vector<CudaDeviceInfo> cuda_devices(std::string* why_none) {
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess || count == 0) {
        if (why_none != nullptr) {
            *why_none = status == cudaSuccess
                            ? "CUDA sees no GPU"
                            : std::string("CUDA sees no GPU: ") + cudaGetErrorString(status);
        }
        cudaGetLastError();  // clears the error, so that it is not reported again by a later, unrelated call
        return {};
    }
    std::vector<CudaDeviceInfo> devices(count);
    for (int index = 0; index < count; ++index) {
        cudaDeviceProp properties{};
        cuda_backend::check(cudaGetDeviceProperties(&properties, index), index,
                            "reading the device's properties");
        CudaDeviceInfo& info = devices[index];
        info.index = index;
        info.name = properties.name;
        info.compute_major = properties.major;
        info.compute_minor = properties.minor;
        info.multiprocessors = properties.multiProcessorCount;
        info.memory_bytes = properties.totalGlobalMem;
        cuda_backend::check(cudaDeviceGetAttribute(&info.clock_khz, cudaDevAttrClockRate, index), index,
                            "reading the device's clock");
    }
    return devices;
}

namespace cuda_backend {

void* open_stream(int index) {
    check(cudaSetDevice(index), index, "selecting the device");
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), index, "creating a stream");
    return stream;
}

void close_stream(int index, void* stream) noexcept {
    // Nothing can be done about an error here: the device is being let go.
    if (cudaSetDevice(index) == cudaSuccess) cudaStreamDestroy(static_cast<cudaStream_t>(stream));
}

void synchronize(int index, void* stream) {
    check(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)), index, "waiting for queued work");
}

void* allocate(int index, std::size_t bytes) {
    check(cudaSetDevice(index), index, "selecting the device");
    void* memory = nullptr;
    const cudaError_t status = cudaMalloc(&memory, bytes);
    if (status == cudaErrorMemoryAllocation) {
        cudaGetLastError();  // so that no later call reports it again
        throw std::bad_alloc();
    }
    check(status, index, "allocating memory");
    return memory;
}

void release(int index, void* memory) noexcept {
    if (cudaSetDevice(index) == cudaSuccess) cudaFree(memory);
}

void copy(int index, void* stream, void* destination, const void* source, std::size_t bytes) {
    check(cudaMemcpyAsync(destination, source, bytes, cudaMemcpyDefault, static_cast<cudaStream_t>(stream)),
          index, "copying");
}

}  // namespace cuda_backend
}  // namespace fovea
