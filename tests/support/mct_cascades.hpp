#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/core/view.hpp"
#include "kernels/mct/mct_cascade.hpp"
#include "kernels/windows/levels.hpp"

// MCT cascades made for tests and measurements; the same for the same seed on every machine.
namespace fovea::test {

/// Look-ups at random places with random tables. No window is rejected: thresholds are INT32_MAX.
/// \param coarse on planes coarse2 and coarse4 by turns; \param fine on planes pixel and block2 by turns, or
/// on pixel only.
MctCascade random_mct_cascade(int coarse, int fine, std::uint32_t seed, bool pixel_only = false);

/// Stages of so many look-ups on plane pixel. Thresholds within a stage are those after which the rejection
/// at its end, which calibrate_mct may set, is certain: call settle_stages after changing thresholds.
MctCascade staged_mct_cascade(const std::vector<int>& lookups, std::uint32_t seed);

/// Sets the thresholds within each stage to the largest sum from which the rest of the stage can still come
/// back to the threshold of its last look-up.
void settle_stages(MctCascade& cascade);

/// Share of the windows that shall be left after look-ups 0...i, falling with i.
using Survival = double (*)(const MctCascade& cascade, int i);

/// Sets thresholds so that of the windows of the image (at most `sample` of them, at random places) the
/// shares that `survival` gives are left. Only the last look-up of a stage is set in a staged cascade.
void calibrate_mct(MctCascade& cascade, ImageView<const std::uint8_t> image,
                   std::span<const PyramidLevel> levels, Survival survival, int sample, std::uint32_t seed);

/// The survival of a trained model: 57 % of the cells after 3 coarse look-ups, 38 % after 5, 20 % after 10,
/// 15 % after 20; of their windows 60 % after 4 fine look-ups, 20 % after 12, 5 % after 30, 0.1 % after all.
double trained_survival(const MctCascade& cascade, int i);

/// A constant share of the windows is lost at each look-up; 10 % pass.
double even_survival(const MctCascade& cascade, int i);

}  // namespace fovea::test
