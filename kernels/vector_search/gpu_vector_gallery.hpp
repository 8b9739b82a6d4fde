#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/core/device.hpp"
#include "kernels/nearest/neighbour.hpp"
#include "kernels/vector_search/vector_distance_body.hpp"

namespace fovea::cuda_backend {

/// A VectorGallery's vectors in the memory of a GPU. The caller has checked all components and each k, as for
/// CpuVectorGallery.
class GpuVectorGallery {
  public:
    /// \throws DeviceError if the program was built without CUDA; std::bad_alloc.
    GpuVectorGallery(const Device& device, std::size_t length, VectorDistance distance);
    ~GpuVectorGallery();
    GpuVectorGallery(const GpuVectorGallery&) = delete;
    GpuVectorGallery& operator=(const GpuVectorGallery&) = delete;

    /// \throws std::bad_alloc or DeviceError: nothing was added then.
    void add(const std::int16_t* rows, std::size_t count);
    std::size_t size() const;
    std::size_t bytes() const;
    void clear();

    std::vector<Neighbour> search(const std::int16_t* queries, std::size_t count, std::size_t k);
    std::vector<Neighbour> neighbours(std::size_t k);
    void distances(const std::int16_t* queries, std::size_t count, double* out);

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace fovea::cuda_backend
