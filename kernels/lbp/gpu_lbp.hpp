#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/core/device.hpp"
#include "kernels/lbp/lbp_plan.hpp"

namespace fovea::cuda_backend {

/// A feature to be computed on a GPU.
struct GpuLbpFeature {
    LbpPlan plan;
    std::vector<Rect> regions;
    std::size_t first_bin = 0;  ///< where the feature begins in a face's vector of counts
};

/// The CUDA body of LbpHistograms: tables in the memory of a GPU, and launches.
class GpuLbp {
  public:
    /// \param device must outlive this. \param bins of a face's vector of counts.
    /// \param max_shared the most shared memory of a block in bytes, for tests and measurements; 0 chooses
    /// what is best. If a region needs more, faces are read where they lie. \throws DeviceError.
    GpuLbp(const Device& device, Size face, const std::vector<GpuLbpFeature>& features, std::size_t bins,
           std::size_t max_shared = 0);
    ~GpuLbp();
    GpuLbp(const GpuLbp&) = delete;
    GpuLbp& operator=(const GpuLbp&) = delete;

    /// Does LbpHistograms::compute. \throws DeviceError.
    void compute(const std::uint8_t* faces, std::size_t count, std::uint16_t* counts) const;

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace fovea::cuda_backend
