#pragma once

#include <cstddef>

#include "kernels/core/buffer.hpp"

namespace fovea {

/// Device memory that grows and is kept from batch to batch.
template <class T>
class Scratch {
  public:
    T* of_size(const Device& device, std::size_t size) {
        if (buffer_.size() < size) buffer_ = Buffer<T>(device, size);
        return buffer_.data();
    }
    Buffer<T>& buffer() { return buffer_; }

  private:
    Buffer<T> buffer_;
};

}  // namespace fovea
