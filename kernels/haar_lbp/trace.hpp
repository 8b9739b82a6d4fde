#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/core/view.hpp"
#include "kernels/haar_lbp/cascade.hpp"
#include "kernels/windows/levels.hpp"
#include "kernels/windows/window_trace.hpp"

namespace fovea {

/// Traces a cascade on the CPU, one window after the other by the arithmetic of cascade_body.hpp; threads of
/// the calling thread's TBB arena share the levels. It takes about ten times as long as scan_cascade and has
/// none of its vector code, so each can be checked by the other.
///
/// \param image 8-bit grey; not empty if there are levels.
/// \throws std::bad_alloc if a level's integral images do not fit into memory.
WindowTrace trace_cascade(const Cascade& cascade, ImageView<const std::uint8_t> image,
                          std::span<const PyramidLevel> levels);

}  // namespace fovea
