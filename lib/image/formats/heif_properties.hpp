#pragma once

#include "lib/image/formats/bytes.hpp"

namespace fovea::codec {

/// True if the primary picture of a HEIF file is a grid (ISO/IEC 23008-12, 6.6.2.3) that is turned by a
/// quarter, and the size behind the turn among its properties is the one before the turn, as Sony's cameras
/// write it. libheif 1.15 decodes such a picture correctly, but states its size as if it were not turned.
/// (libheif's own encoder writes the size after the turn there, which it reads correctly.) \throws ImageError
/// if boxes are cut off.
bool has_size_of_before_its_turn(Bytes file);

}  // namespace fovea::codec
