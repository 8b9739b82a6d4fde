#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/core/view.hpp"

namespace fovea {

/// Copies an image's rows into contiguous memory, in the calling thread's TBB arena if it is large: one core
/// alone does not keep a GPU supplied.
void copy_rows(ImageView<const std::uint8_t> image, std::uint8_t* target);

}  // namespace fovea
