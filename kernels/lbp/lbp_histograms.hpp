#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/core/device.hpp"
#include "kernels/histogram_search/histogram_layout.hpp"
#include "kernels/lbp/lbp_plan.hpp"

namespace fovea {

/// The layout of a face's vector of counts: a block for every region of every feature, in their order.
/// Weights are 1, and a block's `largest` is the number of pixels of its region that have a code.
/// \param face size of every face, 1×1 to 4096×4096. \throws std::invalid_argument for a size or an operator
/// out of range, a region outside the face or of more than 65,535 pixels, no feature or no region of one.
HistogramLayout lbp_layout(Size face, const std::vector<RegionalLbp>& features);

/// Regional histograms of local binary patterns (Ahonen, Hadid, Pietikäinen 2006; Tek 2012, section 3.2.1):
/// they count how many pixels of every region have each label, for every face and feature. Pixels without a
/// code count in no bin.
///
/// Immutable after construction. Its tables lie on the device, which must outlive it.
class LbpHistograms {
  public:
    /// \throws std::invalid_argument as lbp_layout; DeviceError; std::bad_alloc.
    LbpHistograms(const Device& device, Size face, std::vector<RegionalLbp> features);
    ~LbpHistograms();
    LbpHistograms(LbpHistograms&&) noexcept;
    LbpHistograms& operator=(LbpHistograms&&) noexcept;

    Size face() const;
    /// lbp_layout() of its face and features.
    const HistogramLayout& layout() const;

    /// Counts the labels of faces, equal in every bit on every device and for any number of faces at once. On
    /// the CPU all threads of the caller's TBB arena take part; asynchronous on CUDA.
    /// \param faces [count][height][width], 8-bit grey, on the device. \param counts receives
    /// [count][layout().bins], on the device. \throws DeviceError if a launch fails.
    void compute(const std::uint8_t* faces, std::size_t count, std::uint16_t* counts) const;

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace fovea
