#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/lbp/lbp_plan.hpp"

namespace fovea {

/// A sample of a plan in an image of a certain stride: `pixels` pixels at `offsets` from the centre. If there
/// are fewer than four, none has weight 0.
struct LbpRowSample {
    int pixels = 0;  ///< 1, 2 or 4
    std::array<std::ptrdiff_t, 4> offsets{};
    std::array<std::uint16_t, 4> weights{};  ///< of 1/255; add up to 255
};

/// The samples of a plan, in its order. \param stride of the images.
std::vector<LbpRowSample> make_row_samples(const LbpPlan& plan, std::ptrdiff_t stride);

/// Elements beyond the end that codes_of_row may read in an image and write in a row of codes.
constexpr std::size_t lbp_row_slack = 64;

/// Computes lbp_code() of `count` pixels of a row with vectors.
/// \param centres [count] the pixels; all samples lie inside the image, and lbp_row_slack bytes behind the
/// image can be read. \param codes receives `count` codes, then up to lbp_row_slack meaningless ones.
void codes_of_row(const std::vector<LbpRowSample>& samples, const std::uint8_t* centres, std::size_t count,
                  std::uint16_t* codes);

}  // namespace fovea
