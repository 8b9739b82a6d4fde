#pragma once

#include "lib/image/formats/bytes.hpp"

namespace fovea::codec {

/// True if the primary picture of a HEIF file is a grid (ISO/IEC 23008-12, 6.6.2.3) that is turned by a
/// quarter, and its size before the turn stands behind the turn among its properties, as cameras of Sony
/// write them. libheif 1.15 decodes such a picture right, but states its size as if it were not turned. Its
/// own encoder writes the size after the turn at that place, where libheif is right. \throws ImageError if
/// boxes are cut off.
bool has_size_of_before_its_turn(Bytes file);

}  // namespace fovea::codec
