#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/core/buffer.hpp"
#include "kernels/core/gpu_memory.cuh"
#include "kernels/histogram_search/gpu_tile_memory.cuh"

namespace fovea::cuda_backend {

/// Vectors that may be among a query's nearest.
struct Candidates {
    std::uint32_t* counts =
        nullptr;  ///< [query]: how many there are, which may be more than there is room for
    std::uint32_t* indices = nullptr;    ///< [query][room]
    unsigned long long* keys = nullptr;  ///< likewise: bits of the exact distances
    std::uint32_t room = 0;
};

/// Finds for many queries at once the few gallery vectors whose chi-square distance can be among the nearest:
/// by approximate distances with a bound of their error, from scalar products on tensor cores. Exact
/// distances of those few give the same neighbours as those of all.
class GpuFilter {
  public:
    /// Whether it can serve such searches on such a device at all.
    static bool serves(const Device& device, const SearchPlan& plan);

    /// \param plan as serves() says. Device and plan must outlive it.
    GpuFilter(const Device& device, const SearchPlan& plan);

    /// Queues the search for candidates and their exact distances. \param prepared, own as kernels take
    /// queries.
    /// \throws std::bad_alloc; DeviceError.
    Candidates find(const GpuTileMemory& gallery, const std::uint32_t* prepared, const std::int64_t* own,
                    std::size_t count, std::uint32_t k);

  private:
    void make_tables();
    std::uint32_t parts_for(std::size_t tiles) const;
    void approximate(const GpuTileMemory& gallery, const std::uint32_t* prepared, std::size_t count);

    cudaStream_t stream() const { return static_cast<cudaStream_t>(device_.stream()); }

    const Device& device_;
    const SearchPlan& plan_;
    double error_ = 0;      // see Approximation
    Buffer<uint4> tables_;  // features: [1, then every weight][count]
    Buffer<std::uint16_t> table_of_bin_;
    DeviceMemory features_;
    DeviceMemory similarities_;
    DeviceMemory candidates_;
    std::size_t stride_ = 0;   // of similarities_: [part][query][stride]
    std::uint32_t parts_ = 1;  // likewise
    int multiprocessors_ = 0;
};

}  // namespace fovea::cuda_backend
