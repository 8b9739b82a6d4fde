#include "kernels/core/device.hpp"

#include <utility>

#include "kernels/core/device_cuda.hpp"

namespace fovea {

Device Device::cpu() {
    return Device(Kind::cpu, 0);
}

Device Device::cuda(int index, GpuShare share) {
    Device device(Kind::cuda, index, share);
    device.stream_ = cuda_backend::open_stream(index, share);
    return device;
}

Device::Device(Device&& other) noexcept
    : kind_(other.kind_),
      index_(other.index_),
      share_(other.share_),
      stream_(std::exchange(other.stream_, nullptr)) {}

Device& Device::operator=(Device&& other) noexcept {
    std::swap(kind_, other.kind_);
    std::swap(index_, other.index_);
    std::swap(share_, other.share_);
    std::swap(stream_, other.stream_);
    return *this;
}

Device::~Device() {
    if (stream_ != nullptr) cuda_backend::close_stream(index_, stream_);
}

std::string Device::name() const {
    return is_cuda() ? "cuda:" + std::to_string(index_) : "cpu";
}

void Device::synchronize() const {
    if (is_cuda()) cuda_backend::synchronize(index_, stream_);
}

#if !defined(FOVEA_HAVE_CUDA)
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
    throw DeviceError("cannot use cuda:" + std::to_string(index) +
                      ": this program was built without CUDA; build it where nvcc is installed");
}

}  // namespace

void* open_stream(int index, GpuShare) {
    refuse(index);
}
// Never called: without CUDA no Device with a stream exists.
void close_stream(int, void*) noexcept {}
void synchronize(int, void*) {}
void* allocate(int, std::size_t) {
    return nullptr;
}
void release(int, void*) noexcept {}
void copy(int, void*, void*, const void*, std::size_t) {}

}  // namespace cuda_backend

int multiprocessors(int index, GpuShare) {
    cuda_backend::refuse(index);
}
#endif

}  // namespace fovea
