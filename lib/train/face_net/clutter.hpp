#pragma once

#include <cstddef>

#include "lib/train/counter_random.hpp"

namespace fovea {

/// Draws what networks take for faces although it is round or has dark parts in a light one: one to four
/// words, letters, discs with a soft edge, or shaded balls, of all sizes, light on dark or dark on light. An
/// equal `random` gives an equal picture. \param pixels [row][column], grey levels, which are changed
void draw_clutter(std::size_t side, CounterRandom& random, float* pixels);

}  // namespace fovea
