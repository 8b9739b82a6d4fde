// The stand-in of a build without CUDA.

#include "kernels/core/device.hpp"
#include "kernels/core/gpu_device.hpp"

namespace fovea {

bool cuda_built() {
    return false;
}

std::string cuda_build_version() {
    return {};
}

std::vector<CudaDeviceInfo> cuda_devices(std::string* why_none) {
    if (why_none != nullptr)
        *why_none = "this program was built without CUDA (without nvcc, or with FOVEA_CUDA=OFF)";
    return {};
}

namespace cuda_backend {
namespace {

[[noreturn]] void refuse(int index) {
    throw built_without_cuda("cannot use cuda:" + std::to_string(index));
}

}  // namespace

void select(int index) {
    refuse(index);
}
void* open_stream(int index, GpuShare) {
    refuse(index);
}
// Never called: without CUDA no Device with a stream exists.
void close_stream(int, void*) noexcept {}
void synchronize(int, void*) {}
void* make_event(int) {
    return nullptr;
}
void drop_event(int, void*) noexcept {}
void record_event(void*, void*) {}
void wait_for_event(const void*) {}
void* allocate(int, std::size_t) {
    return nullptr;
}
void release(int, void*) noexcept {}
void copy(int, void*, void*, const void*, std::size_t) {}

}  // namespace cuda_backend

int multiprocessors(int index, GpuShare) {
    cuda_backend::refuse(index);
}

}  // namespace fovea
