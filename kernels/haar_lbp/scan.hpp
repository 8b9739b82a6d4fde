#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/core/view.hpp"
#include "kernels/haar_lbp/cascade.hpp"
#include "kernels/windows/cascade_window.hpp"
#include "kernels/windows/levels.hpp"

namespace fovea {

/// Runs a cascade over all windows of all pyramid levels, on the CPU: SIMD across windows, threads across
/// bands of rows (the calling thread's TBB arena). The windows that pass and their sums equal those of
/// cv::CascadeClassifier (OpenCV 4.6), in every bit, on every instruction set and number of threads:
///
/// - a window whose standard deviation is <= 10 grey levels is never evaluated (Haar only);
/// - after a window that the first stage rejects, the next one of the row is skipped;
/// - features in float, in the order weight0·sum0 + weight1·sum1 (+ weight2·sum2), then times 1/σ;
/// - leaves are summed in double, in the order of the trees.
///
/// \param image 8-bit grey; not empty if there are levels.
/// \return windows in rising order of level, y, x.
/// \throws std::length_error if a window's height of rows holds 2^30 pixels or more.
std::vector<CascadeWindow> scan_cascade(const Cascade& cascade, ImageView<const std::uint8_t> image,
                                        std::span<const PyramidLevel> levels);

/// The part of scan_cascade that comes before the cascade, and nothing else, for measurements: the rows of
/// every band are resized and integrated on the same threads, and dropped. Windows' standard deviations are
/// not part of it; the CPU computes them with the first stage. \throws as scan_cascade.
void integrate_levels(const Cascade& cascade, ImageView<const std::uint8_t> image,
                      std::span<const PyramidLevel> levels);

/// The instruction set that scan_cascade uses on this machine, e.g. "AVX3" or "AVX2" (Highway's names).
std::string simd_target();

}  // namespace fovea
