#include "kernels/core/device.hpp"

#include <utility>

#include "kernels/core/gpu_device.hpp"

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

}  // namespace fovea
