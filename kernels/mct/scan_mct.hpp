#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/core/view.hpp"
#include "kernels/mct/mct_cascade.hpp"
#include "kernels/windows/cascade_window.hpp"
#include "kernels/windows/levels.hpp"
#include "kernels/windows/window_trace.hpp"

namespace fovea {

/// Runs an MCT cascade over all windows of all pyramid levels on the CPU: SIMD across windows, threads across
/// tiles (the calling thread's TBB arena). All arithmetic is in integers, so the result is the same on every
/// instruction set, number of threads and backend.
///
/// \param image 8-bit grey; not empty if there are levels.
/// \param levels of mct_levels(); windows at multiples of a level's step are visited.
/// \return the windows that pass, in rising order of level, y, x; last_sum is the margin (last threshold
/// minus last sum, >= 0).
/// \throws std::bad_alloc if the octaves do not fit into memory.
std::vector<CascadeWindow> scan_mct(const MctCascade& cascade, ImageView<const std::uint8_t> image,
                                    std::span<const PyramidLevel> levels);

/// Does only the part of scan_mct before the cascade, for measurements: octaves, levels and codes are made on
/// the same threads, and dropped. Parameters and errors as scan_mct.
void transform_levels(const MctCascade& cascade, ImageView<const std::uint8_t> image,
                      std::span<const PyramidLevel> levels);

/// Traces an MCT cascade, one window after the other by the arithmetic of mct_body.hpp; threads of the
/// calling thread's TBB arena share the levels. It is slow and has none of scan_mct's vector code, so each
/// can be checked by the other. WindowTrace::stages_passed counts look-ups; last_sums are the sums after the
/// last look-up made.
WindowTrace trace_mct(const MctCascade& cascade, ImageView<const std::uint8_t> image,
                      std::span<const PyramidLevel> levels);

}  // namespace fovea
