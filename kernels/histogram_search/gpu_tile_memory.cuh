#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/core/buffer.hpp"
#include "kernels/core/gpu_rows.cuh"
#include "kernels/histogram_search/gpu_tiles.cuh"

namespace fovea::cuda_backend {

/// Gallery vectors in tiles of a GPU's memory. It grows by slabs of tiles, so that vectors never move.
class GpuTileMemory {
  public:
    /// \param plan with segments of whole chunks. Device and plan must outlive this.
    GpuTileMemory(const Device& device, const SearchPlan& plan);

    /// \param rows [count][layout bins], in host memory, copied by `uploader`.
    /// \throws DeviceError or std::bad_alloc: nothing was added then.
    void add(const std::uint16_t* rows, std::size_t count, RowUploader& uploader);
    void clear() { size_ = 0; }

    std::size_t size() const { return size_; }
    std::size_t bytes() const;
    GalleryView view() const;
    PlanView plan_view() const;

  private:
    std::size_t tile_bytes() const {
        return count_bytes_ + tile_vectors * sizeof(std::int64_t) + mark_bytes_;
    }
    cudaStream_t stream() const { return static_cast<cudaStream_t>(device_.stream()); }
    /// \throws std::bad_alloc if there is no room for it.
    Buffer<std::byte> allocate(std::size_t bytes) const;
    void grow(std::size_t tiles);
    void pack(const std::uint16_t* rows, std::size_t first, std::size_t count);

    const Device& device_;
    const SearchPlan& plan_;
    std::size_t count_bytes_;
    std::size_t mark_bytes_;
    Buffer<SearchSegment> segments_;
    Buffer<std::uint32_t> source_;
    std::vector<Buffer<std::byte>> slabs_;
    std::vector<std::byte*> tiles_;       // [tile], in the slabs
    Buffer<std::byte*> tiles_on_device_;  // a copy of tiles_
    std::size_t size_ = 0;
};

}  // namespace fovea::cuda_backend
