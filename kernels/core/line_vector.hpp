#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace fovea {

/// Allocates memory that begins at a cache line, so that vectors of up to 64 bytes never cross one.
template <class T>
struct LineAllocator {
    using value_type = T;
    static constexpr std::align_val_t alignment{64};

    LineAllocator() = default;
    template <class Other>
    LineAllocator(const LineAllocator<Other>&) {}  // NOLINT: allocators convert

    T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), alignment)); }
    void deallocate(T* data, std::size_t) { ::operator delete(data, alignment); }

    friend bool operator==(const LineAllocator&, const LineAllocator&) { return true; }
};

template <class T>
using LineVector = std::vector<T, LineAllocator<T>>;

}  // namespace fovea
