#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/core/buffer.hpp"
#include "kernels/core/gpu_memory.cuh"
#include "kernels/histogram_search/gpu_tile_memory.cuh"

namespace fovea::cuda_backend {

/// Vectors that may be among a query's nearest.
struct Candidates {
    /// [query]: the number of candidates, which may be more than `room`.
    std::uint32_t* counts = nullptr;
    std::uint32_t* indices = nullptr;    ///< [query][room]
    unsigned long long* keys = nullptr;  ///< [query][room]: bits of the exact distances
    std::uint32_t room = 0;
};

/// Finds, for many queries at once, the few gallery vectors whose chi-square distance can be among the
/// nearest. Scalar products on tensor cores give approximate distances with a bound of their error; exact
/// distances of the candidates then give the same neighbours as a search of all vectors.
class GpuFilter {
  public:
    /// True if the filter can serve searches by this plan on this device.
    static bool serves(const Device& device, const SearchPlan& plan);

    /// \param plan for which serves() is true. Device and plan must outlive this.
    GpuFilter(const Device& device, const SearchPlan& plan);

    /// Queues the search for candidates and their exact distances.
    /// \param prepared, own as prepare_queries_kernel makes them. \throws std::bad_alloc; DeviceError.
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
    std::uint32_t parts_ = 1;  // of similarities_
    int multiprocessors_ = 0;
};

}  // namespace fovea::cuda_backend
