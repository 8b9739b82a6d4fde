#pragma once

#include <cstddef>

#include "kernels/face_embedding/face_resnet_layers.hpp"

// The arithmetic of a FaceResnet in vectors, on the calling thread. Every value is made of the same
// operations in the same order, whatever it is made together with.
namespace fovea {

/// to[row] = start + Σ from[row] · panels, the terms added one after the other; rectified if wanted.
struct FaceResnetProduct {
    const float* from = nullptr;
    std::size_t rows = 0, row_step = 0;
    /// A row is made of `runs` runs of as many values, each `run_step` behind the one before.
    std::size_t runs = 1, run_length = 0, run_step = 0;
    const float* panels = nullptr;  ///< FaceResnetPanels of runs · run_length inputs
    std::size_t outputs = 0;        ///< a multiple of 32
    const float* start = nullptr;   ///< [outputs], aligned to lines; nullptr stands for zeros
    bool rectifies = false;
    float* to = nullptr;
    std::size_t to_step = 0;
};
void multiply(const FaceResnetProduct& product);

/// The largest of 3×3 values at every second column. \param rows [2 · width + 1][channels] each.
/// \param to [width][channels]. \param channels a multiple of 16.
void pool_maxima(const float* const (&rows)[3], std::size_t width, std::size_t channels, float* to);

/// Memory for a WinogradLayer.
class WinogradScratch {
  public:
    /// Makes room for `tiles` tiles at once, if there is less.
    void reserve(const WinogradLayer& layer, std::size_t tiles);

    float* values() { return values_.data(); }
    float* products() { return products_.data(); }

  private:
    LineVector<float> values_, products_;
};

/// The values from one position's plane of `tiles` tiles to the next. A line more than the plane has: planes
/// at a distance of 4 KB would all lie in the same few lines of the cache.
constexpr std::size_t winograd_plane(std::size_t tiles, std::size_t channels) {
    return tiles * channels + 16;
}

/// to = max(0, convolution of `from` + bias), or with `adds` max(0, to + convolution + bias). \param to at
/// least as large as `from`; what lies beyond `from` stays as it is. \param max_tiles that are made at once.
void convolve(const WinogradLayer& layer, const FaceMapView& from, std::size_t faces, bool adds,
              const FaceMapView& to, std::size_t max_tiles, WinogradScratch& scratch);

}  // namespace fovea
