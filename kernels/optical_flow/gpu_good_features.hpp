#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/core/device.hpp"
#include "kernels/core/image_memory.hpp"
#include "kernels/optical_flow/good_features.hpp"

namespace fovea::cuda_backend {

/// Finds corners on one GPU, equal in every bit and in their order to min_eigenvalues and good_features. It
/// keeps its memory on the GPU from call to call. For one thread at a time.
///
/// Eigenvalues take one launch. Corners are counted, then written and sorted, and the host chooses the
/// corners that keep their distance.
class GpuGoodFeatures {
  public:
    /// \param device a GPU; must outlive this. All work is queued on its stream.
    /// \throws DeviceError; also if the program was built without CUDA.
    explicit GpuGoodFeatures(const Device& device);
    ~GpuGoodFeatures();
    GpuGoodFeatures(const GpuGoodFeatures&) = delete;
    GpuGoodFeatures& operator=(const GpuGoodFeatures&) = delete;

    /// Does good_features and waits for the result.
    /// \param image, mask both in `memory`; the mask may be empty.
    /// \throws std::invalid_argument as good_features, and for 2^32 pixels or more; DeviceError;
    /// std::bad_alloc if memory runs out.
    std::vector<FlowPoint> find(const ImageView<const std::uint8_t>& image, ImageMemory memory,
                                const GoodFeaturesOptions& options,
                                const ImageView<const std::uint8_t>& mask = {});

    /// Does min_eigenvalues and waits for the result. Errors as find.
    std::vector<float> min_eigenvalues(const ImageView<const std::uint8_t>& image, ImageMemory memory);

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace fovea::cuda_backend
