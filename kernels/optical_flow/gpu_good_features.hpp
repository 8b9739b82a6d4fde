#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/core/device.hpp"
#include "kernels/core/image_memory.hpp"
#include "kernels/optical_flow/good_features.hpp"

namespace fovea::cuda_backend {

/// Corners found by one GPU: all bits of the eigenvalues, and the corners in their order, as min_eigenvalues
/// and good_features. Memory on the GPU is kept from call to call.
///
/// Eigenvalues take one launch. Corners are counted, then written and sorted, and the host chooses those that
/// keep their distance.
class GpuGoodFeatures {
  public:
    /// \param device a GPU; must outlive this. All work is queued on its stream.
    /// \throws DeviceError; also if the program was built without CUDA.
    explicit GpuGoodFeatures(const Device& device);
    ~GpuGoodFeatures();
    GpuGoodFeatures(const GpuGoodFeatures&) = delete;
    GpuGoodFeatures& operator=(const GpuGoodFeatures&) = delete;

    /// good_features; waits for the result.
    /// \param image, mask both in `memory`. The mask may be empty.
    /// \throws std::invalid_argument as good_features, and for 2^32 pixels or more; std::bad_alloc;
    /// DeviceError.
    std::vector<FlowPoint> find(const ImageView<const std::uint8_t>& image, ImageMemory memory,
                                const GoodFeaturesOptions& options,
                                const ImageView<const std::uint8_t>& mask = {});

    /// min_eigenvalues, in host memory; waits for the result. \throws as find.
    std::vector<float> min_eigenvalues(const ImageView<const std::uint8_t>& image, ImageMemory memory);

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace fovea::cuda_backend
