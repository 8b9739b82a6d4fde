#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/core/view.hpp"
#include "kernels/haar_lbp/cascade.hpp"
#include "kernels/windows/levels.hpp"
#include "kernels/windows/window_trace.hpp"

namespace fovea {

/// Traces a cascade on the CPU, one window after the other by the arithmetic of cascade_body.hpp, levels
/// shared out over the calling thread's TBB arena. It takes about ten times the time of scan_cascade, shares
/// none of its vector code, and so is an independent witness of it.
///
/// \param image 8-bit grey; not empty if there are levels.
/// \throws std::bad_alloc if a level's integral images do not fit into memory.
WindowTrace trace_cascade(const Cascade& cascade, ImageView<const std::uint8_t> image,
                          std::span<const PyramidLevel> levels);

}  // namespace fovea
