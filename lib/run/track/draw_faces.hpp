#pragma once

#include <span>

#include "lib/core/types.hpp"
#include "lib/video/colour_frame.hpp"

namespace fovea {

/// Draws each face with its box, landmarks and the number of its track, in a colour of that track. The box is
/// thinner if the face was followed, not detected.
void draw_faces(ColourFrame& frame, std::span<const Detection> faces);

}  // namespace fovea
