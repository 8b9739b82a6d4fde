#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

#include "kernels/device.hpp"
#include "kernels/device_cuda.hpp"
#include "kernels/view.hpp"

namespace fovea {

/// Owns `size` elements in the memory of a device: host memory for the CPU, global memory for a GPU.
/// The device must outlive the buffer.
template <class T>
requires std::is_trivially_copyable_v<T>
class Buffer {
  public:
    Buffer() = default;
    /// Elements are zero on the CPU and undefined on a GPU. \throws DeviceError or std::bad_alloc if memory
    /// runs out.
    Buffer(const Device& device, std::size_t size) : device_(&device), size_(size) {
        if (size == 0) return;
        data_ = device.is_cuda() ? static_cast<T*>(cuda_backend::allocate(device.index(), size * sizeof(T)))
                                 : new T[size]();
    }
    Buffer(Buffer&& other) noexcept { swap(other); }
    Buffer& operator=(Buffer&& other) noexcept {
        swap(other);
        return *this;
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() {
        if (data_ == nullptr) return;
        if (device_->is_cuda()) {
            cuda_backend::release(device_->index(), data_);
        } else {
            delete[] data_;
        }
    }

    T* data() const { return data_; }
    std::size_t size() const { return size_; }

    /// Copies from host memory into the buffer, in stream order (done at return on the CPU).
    void upload(const T* host, std::size_t count) { copy(data_, host, count); }
    /// Copies to host memory and waits for it.
    void download(T* host, std::size_t count) const {
        copy(host, data_, count);
        if (device_ != nullptr) device_->synchronize();
    }

  private:
    void copy(T* destination, const T* source, std::size_t count) const {
        if (count == 0) return;
        if (device_->is_cuda()) {
            cuda_backend::copy(device_->index(), device_->stream(), destination, source, count * sizeof(T));
        } else {
            std::memcpy(destination, source, count * sizeof(T));
        }
    }
    void swap(Buffer& other) noexcept {
        std::swap(device_, other.device_);
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
    }

    const Device* device_ = nullptr;
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace fovea
