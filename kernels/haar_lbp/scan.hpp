#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/core/view.hpp"
#include "kernels/haar_lbp/cascade.hpp"
#include "kernels/haar_lbp/merged_pattern.hpp"
#include "kernels/windows/cascade_window.hpp"
#include "kernels/windows/levels.hpp"

namespace fovea {

/// Runs a cascade over all windows of all pyramid levels, on the CPU: SIMD across windows, threads across
/// bands of rows (the calling thread's TBB arena). The windows that pass and their sums equal those of
/// cv::CascadeClassifier (OpenCV 4.6), in every bit, on every instruction set and number of threads:
///
/// - a window whose standard deviation is <= 10 grey levels is never evaluated (Haar only);
/// - after a window that the first stage rejects, the next window of the row is skipped;
/// - features are computed in float, in the order weight0·sum0 + weight1·sum1 (+ weight2·sum2), and then
///   multiplied by WindowContrast::inverse_deviation;
/// - leaves are summed in double, in the order of the trees.
///
/// \param patterns merged_patterns() of the cascade.
/// \param image 8-bit grey; not empty if there are levels.
/// \return windows in rising order of level, y, x.
/// \throws std::length_error if as many rows of a level as a window is high hold 2^30 pixels or more.
std::vector<CascadeWindow> scan_cascade(const Cascade& cascade, std::span<const MergedPattern> patterns,
                                        ImageView<const std::uint8_t> image,
                                        std::span<const PyramidLevel> levels);

/// Does only the part of scan_cascade before the cascade, for measurements: the rows of every band are
/// resized and integrated on the same threads, and dropped. Standard deviations are not part of it, since the
/// CPU computes them with the first stage. Errors as scan_cascade.
void integrate_levels(const Cascade& cascade, ImageView<const std::uint8_t> image,
                      std::span<const PyramidLevel> levels);

/// The instruction set that scan_cascade uses on this machine, e.g. "AVX3" or "AVX2" (Highway's names).
std::string simd_target();

}  // namespace fovea
