#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/boost/window_features.hpp"
#include "kernels/core/view.hpp"

namespace fovea {

/// Integral images of many windows of one size, stored corner by corner, the samples side by side: a vector
/// has the same corner of many samples.
class SampleIntegrals {
  public:
    /// So many samples beyond the last may be read; their values are 0.
    static constexpr std::size_t padding = 64;

    /// \param samples [sample][y][x], 8-bit grey, window.width · window.height bytes each.
    /// \throws std::invalid_argument if the window is smaller than 3×3 or the last sample is cut off.
    SampleIntegrals(Size window, std::span<const std::uint8_t> samples, bool with_tilted);

    Size window() const { return window_; }
    std::size_t count() const { return count_; }
    bool has_tilted() const { return !tilted_.empty(); }
    /// Elements from one corner to the next; corners lie row by row, (width + 1) · (height + 1) of them.
    std::size_t stride() const { return stride_; }
    /// [sample] the sums at corner (x, y), 0 <= x <= width, 0 <= y <= height, as IntegralBand defines them.
    const std::int32_t* sums(int x, int y) const { return sums_.data() + place(x, y); }
    const std::int32_t* tilted(int x, int y) const { return tilted_.data() + place(x, y); }
    /// [sample] WindowContrast::inverse_deviation; 0 where a Haar cascade does not look at the window.
    const float* inverse_deviations() const { return inverse_deviations_.data(); }
    /// True if a Haar cascade looks at the sample: σ > 10 grey levels.
    bool has_contrast(std::size_t sample) const { return inverse_deviations_[sample] > 0; }

  private:
    std::size_t place(int x, int y) const {
        const auto corner = static_cast<std::size_t>(y) * (static_cast<std::size_t>(window_.width) + 1) +
                            static_cast<std::size_t>(x);
        return corner * stride_;
    }
    void take(std::size_t first, std::size_t last, std::span<const std::uint8_t> samples, bool with_tilted);

    Size window_;
    std::size_t count_;
    std::size_t stride_;
    std::vector<std::int32_t> sums_, tilted_;
    std::vector<float> inverse_deviations_;
};

/// Computes a Haar feature in samples first ... first + count - 1, equal in every bit to the values that
/// cv::CascadeClassifier and the engines compare with a node's threshold.
/// \param values room for count + SampleIntegrals::padding.
void haar_values(const SampleIntegrals& samples, const HaarFeature& feature, std::size_t first,
                 std::size_t count, float* values);

/// Computes the code of an LBP feature in samples; parameters as haar_values.
void lbp_codes(const SampleIntegrals& samples, const LbpFeature& feature, std::size_t first,
               std::size_t count, std::uint8_t* codes);

/// Computes the bin of each value: min(255, max(0, ⌊(value − least) · scale⌋)).
/// \param values, bins room for count + SampleIntegrals::padding.
void bins_of(const float* values, std::size_t count, float least, float scale, std::uint8_t* bins);

}  // namespace fovea
