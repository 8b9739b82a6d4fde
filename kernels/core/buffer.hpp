#pragma once

#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "kernels/core/device.hpp"
#include "kernels/core/gpu_device.hpp"
#include "kernels/core/view.hpp"

namespace fovea {

/// Owns `size` elements in the memory of a device: host memory for the CPU, global memory for a GPU.
/// The device (or what it was moved to) must outlive the buffer.
template <class T>
requires std::is_trivially_copyable_v<T>
class Buffer {
  public:
    Buffer() = default;
    /// Elements are zero on the CPU and undefined on a GPU.
    /// \throws std::bad_alloc if memory runs out; DeviceError.
    Buffer(const Device& device, std::size_t size)
        : is_cuda_(device.is_cuda()), index_(device.index()), stream_(device.stream()), size_(size) {
        if (size == 0) return;
        data_ = is_cuda_ ? static_cast<T*>(cuda_backend::allocate(index_, size * sizeof(T))) : new T[size]();
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
        if (is_cuda_) {
            cuda_backend::release(index_, data_);
        } else {
            delete[] data_;
        }
    }

    T* data() const { return data_; }
    std::size_t size() const { return size_; }

    /// Copies from memory of the host or of the device into the buffer, in stream order (done at return on
    /// the CPU). Page-locked memory must stay as it is until the stream has copied it. \throws
    /// std::out_of_range if the buffer is smaller than `count` elements; DeviceError.
    void upload(const T* from, std::size_t count) { copy(data_, from, count); }
    /// Copies to host memory and waits until that is done. Errors as upload.
    void download(T* host, std::size_t count) const {
        copy(host, data_, count);
        if (is_cuda_) cuda_backend::synchronize(index_, stream_);
    }

  private:
    void copy(T* destination, const T* source, std::size_t count) const {
        if (count > size_) throw std::out_of_range("a copy is larger than the buffer");
        if (count == 0) return;
        if (is_cuda_) {
            cuda_backend::copy(index_, stream_, destination, source, count * sizeof(T));
        } else {
            std::memcpy(destination, source, count * sizeof(T));
        }
    }
    void swap(Buffer& other) noexcept {
        std::swap(is_cuda_, other.is_cuda_);
        std::swap(index_, other.index_);
        std::swap(stream_, other.stream_);
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
    }

    bool is_cuda_ = false;
    int index_ = 0;
    void* stream_ = nullptr;
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace fovea
