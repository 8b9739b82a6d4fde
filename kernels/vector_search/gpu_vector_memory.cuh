#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/core/buffer.hpp"
#include "kernels/core/gpu_rows.cuh"
#include "kernels/vector_search/gpu_vector_tiles.cuh"

namespace fovea::cuda_backend {

/// Vectors in tiles of a GPU's memory, in one piece. It grows by half, and the vectors are copied then: for a
/// moment they take their memory twice.
class GpuVectorMemory {
  public:
    /// \param device must outlive this. \param granule vectors for which there is memory in whole blocks.
    GpuVectorMemory(const Device& device, std::size_t length, VectorDistance distance, std::size_t granule);

    /// Appends rows. \param rows [count][length] in host memory, copied by `uploader`.
    /// \throws DeviceError or std::bad_alloc: nothing was added then.
    void add(const std::int16_t* rows, std::size_t count, RowUploader& uploader);
    void clear();

    std::size_t size() const { return size_; }
    std::size_t bytes() const;
    VectorTiles view() const;
    const OwnRangeBits* range() const { return range_.data(); }

  private:
    cudaStream_t stream() const { return static_cast<cudaStream_t>(device_.stream()); }
    std::size_t tile_pieces() const { return static_cast<std::size_t>(chunks_) * chunk_pieces; }
    void grow(std::size_t vectors);
    void move_to(std::size_t capacity);

    const Device& device_;
    std::size_t length_;
    VectorDistance distance_;
    std::size_t granule_;
    std::uint32_t chunks_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;  // vectors, whole granules
    Buffer<uint4> pieces_;
    Buffer<VectorTerms> terms_;
    Buffer<OwnRangeBits> range_;
};

}  // namespace fovea::cuda_backend
