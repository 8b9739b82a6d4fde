#pragma once

#include <cstddef>
#include <type_traits>

#if defined(__CUDACC__)
#define FOVEA_HOST_DEVICE __host__ __device__
#else
#define FOVEA_HOST_DEVICE
#endif

namespace fovea {

/// A two-dimensional array in host or device memory, which the view does not own.
/// Element (x, y) lies at data[y * stride + x]; stride counts elements, stride >= width.
template <class T>
struct ImageView {
    T* data = nullptr;
    int width = 0;
    int height = 0;
    std::ptrdiff_t stride = 0;

    FOVEA_HOST_DEVICE T* row(int y) const { return data + y * stride; }
    FOVEA_HOST_DEVICE T& operator()(int x, int y) const { return data[y * stride + x]; }
    FOVEA_HOST_DEVICE bool empty() const { return width <= 0 || height <= 0; }

    /// A view of mutable elements is also a view of constant ones.
    template <class Constant = const T>
    requires(!std::is_const_v<T>) FOVEA_HOST_DEVICE operator ImageView<Constant>() const {
        return {data, width, height, stride};
    }
};

/// An integer rectangle: the half-open ranges [x, x + width) × [y, y + height).
struct Rect {
    int x = 0;
    int y = 0;
    int width = 0;
    int height = 0;

    friend bool operator==(const Rect&, const Rect&) = default;
};

struct Size {
    int width = 0;
    int height = 0;

    friend bool operator==(const Size&, const Size&) = default;
};

}  // namespace fovea
