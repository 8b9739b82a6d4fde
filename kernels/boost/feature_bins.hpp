#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/boost/sample_integrals.hpp"
#include "kernels/boost/window_features.hpp"

namespace fovea {

/// The values of features in all samples, as one byte each: the code of an LBP feature; of a Haar feature one
/// of 256 bins of equal width, about its mean. A larger value never has a lower bin.
class FeatureBins {
  public:
    /// Both must outlive this. \param max_bytes of memory: the bins of features beyond are made anew each
    /// time.
    FeatureBins(const SampleIntegrals& samples, const WindowFeatures& features, std::size_t max_bytes);

    const SampleIntegrals& samples() const { return samples_; }
    const WindowFeatures& features() const { return features_; }
    /// Features whose bins are kept.
    std::size_t kept() const { return kept_; }

    /// Memory for the bins of features that are not kept; for one thread.
    struct Scratch {
        std::vector<std::uint8_t> bins;
        std::vector<float> values;
    };
    /// [sample] the bins of a feature; valid until `scratch` is used again.
    const std::uint8_t* of(std::size_t feature, Scratch& scratch) const;

  private:
    struct Range {
        float least = 0;
        float scale = 0;
    };

    std::size_t row_bytes() const { return samples_.count() + SampleIntegrals::padding; }
    void find_values(std::size_t feature, Scratch& scratch) const;
    Range range_of(const std::vector<float>& values) const;
    void fill(std::size_t feature, const Scratch& scratch, std::uint8_t* bins) const;

    const SampleIntegrals& samples_;
    const WindowFeatures& features_;
    std::size_t kept_;
    std::vector<Range> ranges_;       // Haar
    std::vector<std::uint8_t> bins_;  // [feature][sample]
};

}  // namespace fovea
