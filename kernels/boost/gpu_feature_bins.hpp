#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "kernels/boost/sample_integrals.hpp"
#include "kernels/boost/split_score.hpp"
#include "kernels/boost/window_features.hpp"
#include "kernels/core/device.hpp"

namespace fovea::cuda_backend {

/// The bins of all features in a GPU's memory, and the search for the best splits there.
class GpuFeatureBins {
  public:
    virtual ~GpuFeatureBins() = default;

    /// [feature] the score of its best split, equal to the CPU's in every bit; 0 if it splits nothing. Valid
    /// until the next call. Parameters as best_splits(). \throws DeviceError
    virtual std::span<const double> scores(std::span<const std::uint32_t> samples,
                                           std::span<const BoostWeight> weights,
                                           SplitCriterion criterion) = 0;
};

/// \param device must outlive the result; `samples` and `features` need not. \param max_bytes of the GPU's
/// memory for bins: bins of further features are made anew each time. \throws DeviceError; std::bad_alloc
std::unique_ptr<GpuFeatureBins> make_gpu_feature_bins(const Device& device, const SampleIntegrals& samples,
                                                      const WindowFeatures& features, std::size_t max_bytes);

/// Half of the GPU's free memory. \throws DeviceError
std::size_t memory_for_bins(const Device& device);

}  // namespace fovea::cuda_backend
