#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/histogram_search/histogram_search.hpp"

namespace fovea::cuda_backend {

/// A HistogramGallery's vectors in the memory of a GPU. The caller has checked counts in host memory.
class GpuHistogramGallery {
  public:
    /// \throws DeviceError if the program was built without CUDA; std::bad_alloc.
    GpuHistogramGallery(const Device& device, const HistogramLayout& layout, HistogramDistance distance);
    ~GpuHistogramGallery();
    GpuHistogramGallery(const GpuHistogramGallery&) = delete;
    GpuHistogramGallery& operator=(const GpuHistogramGallery&) = delete;

    /// \param counts in host memory. \throws std::bad_alloc or DeviceError: nothing was added then.
    void add(const std::uint16_t* counts, std::size_t count);
    std::size_t size() const;
    std::size_t bytes() const;
    void clear();

    /// Does HistogramGallery::search; k at least 1. \param on_device whether `queries` lie on the device.
    std::vector<Neighbour> search(const std::uint16_t* queries, std::size_t count, std::size_t k,
                                  bool on_device);
    void distances(const std::uint16_t* queries, std::size_t count, double* out);

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace fovea::cuda_backend
