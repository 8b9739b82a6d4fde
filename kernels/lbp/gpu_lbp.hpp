#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/core/device.hpp"
#include "kernels/lbp/lbp_plan.hpp"

namespace fovea::cuda_backend {

/// A feature as the GPU is given it.
struct GpuLbpFeature {
    LbpPlan plan;
    std::vector<Rect> regions;
    std::size_t first_bin = 0;  ///< of the feature in a face's vector of counts
};

/// The CUDA body of LbpHistograms: tables in the memory of a GPU, and launches.
class GpuLbp {
  public:
    /// The part of a feature that is staged at once is limited for the sake of tests and measurements.
    /// \param device must outlive it. \param bins of a face's vector of counts. \param max_shared bytes of
    /// shared memory that a block takes at most, 0: what is best; too few for anything: faces are not staged
    /// at all.
    /// \throws DeviceError.
    GpuLbp(const Device& device, Size face, const std::vector<GpuLbpFeature>& features, std::size_t bins,
           std::size_t max_shared = 0);
    ~GpuLbp();
    GpuLbp(const GpuLbp&) = delete;
    GpuLbp& operator=(const GpuLbp&) = delete;

    /// The same as LbpHistograms::compute. \throws DeviceError.
    void compute(const std::uint8_t* faces, std::size_t count, std::uint16_t* counts) const;

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace fovea::cuda_backend
