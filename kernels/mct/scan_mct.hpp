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
/// bands of rows (the calling thread's TBB arena). Integers from end to end: the result is the same on every
/// instruction set, number of threads and backend.
///
/// \param image  8-bit grey; not empty if there are levels.
/// \param levels as mct_levels gives them: windows at multiples of a level's step are visited.
/// \return the windows that passed, with their margins (last threshold minus last sum, >= 0) as last_sum, in
/// rising order of level, y, x.
/// \throws std::bad_alloc if the octaves do not fit into memory.
std::vector<CascadeWindow> scan_mct(const MctCascade& cascade, ImageView<const std::uint8_t> image,
                                    std::span<const PyramidLevel> levels);

/// The part of scan_mct that comes before the cascade, and nothing else, for measurements: octaves, levels
/// and codes are made on the same threads, and dropped.
void transform_levels(const MctCascade& cascade, ImageView<const std::uint8_t> image,
                      std::span<const PyramidLevel> levels);

/// Traces an MCT cascade one window after the other by the arithmetic of mct_body.hpp, levels shared out over
/// the calling thread's TBB arena: slow, shares none of the vector code of scan_mct, and so an independent
/// witness of it. WindowTrace::stages_passed counts look-ups; last_sums are the sums after the last one made.
WindowTrace trace_mct(const MctCascade& cascade, ImageView<const std::uint8_t> image,
                      std::span<const PyramidLevel> levels);

}  // namespace fovea
