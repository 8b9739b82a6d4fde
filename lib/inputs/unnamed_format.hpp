#pragma once

#include <cstddef>
#include <string_view>

#include "lib/image/formats/format.hpp"

namespace fovea {

/// True if the name of a file says nothing of its format: its last part has no dot.
bool has_no_extension(std::string_view name);

/// Enough of a file's bytes for begins_as_image().
constexpr std::size_t image_head_bytes = 32;

/// True if a file that begins with these bytes is an image. \param head its first image_head_bytes, or all.
bool begins_as_image(codec::Bytes head);

}  // namespace fovea
