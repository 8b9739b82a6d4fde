#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/boost/sample_integrals.hpp"
#include "kernels/boost/window_features.hpp"
#include "kernels/core/device.hpp"

namespace fovea {

namespace cuda_backend {
class GpuFeatureBins;
}

/// The values of features in all samples as one byte each: an LBP feature's code, or one of 256 bins of equal
/// width about a Haar feature's mean. A larger value never has a lower bin.
class FeatureBins {
  public:
    /// \param samples, features must outlive this.
    /// \param max_bytes of memory for bins: bins of further features are made anew each time.
    /// \param device a GPU on which best_splits() looks for splits; its bins take up to half of its free
    /// memory if that is more than max_bytes. Null or the CPU: the host looks for splits.
    /// \throws DeviceError; std::bad_alloc if the GPU's memory runs out
    FeatureBins(const SampleIntegrals& samples, const WindowFeatures& features, std::size_t max_bytes,
                const Device* device = nullptr);
    ~FeatureBins();

    const SampleIntegrals& samples() const { return samples_; }
    const WindowFeatures& features() const { return features_; }
    /// The number of features whose bins are kept in the host's memory; 0 with a GPU.
    std::size_t kept() const { return kept_; }
    /// The bins on the GPU; null on the CPU.
    cuda_backend::GpuFeatureBins* on_gpu() const { return on_gpu_.get(); }

    /// Memory for the bins of features that are not kept; for one thread.
    struct Scratch {
        std::vector<std::uint8_t> bins;
        std::vector<float> values;
    };
    /// [sample] the bins of a feature, valid until `scratch` is used again.
    const std::uint8_t* of(std::size_t feature, Scratch& scratch) const;

  private:
    std::size_t row_bytes() const { return samples_.count() + SampleIntegrals::padding; }
    void fill(std::size_t feature, Scratch& scratch, std::uint8_t* bins) const;

    const SampleIntegrals& samples_;
    const WindowFeatures& features_;
    std::size_t kept_ = 0;
    std::unique_ptr<std::uint8_t[]> bins_;  // [feature][sample]
    std::unique_ptr<cuda_backend::GpuFeatureBins> on_gpu_;
};

}  // namespace fovea
