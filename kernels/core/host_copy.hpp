#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/core/view.hpp"

namespace fovea {

/// Copies an image's rows into contiguous memory. Threads of the caller's TBB arena share a large image,
/// because one core alone does not keep a GPU supplied. \param target room for width · height bytes.
void copy_rows(ImageView<const std::uint8_t> image, std::uint8_t* target);

}  // namespace fovea
