#pragma once

#include "kernels/core/view.hpp"
#include "lib/train/counter_random.hpp"
#include "lib/train/samples/window_plane.hpp"

namespace fovea {

/// Blurs a window three times by a box of fractional length in each direction; the variances add up to sigma²
/// (the extended box filter; Gwosdek, Grewenig, Bruhn, Weickert: "Theoretical foundations of Gaussian
/// convolution by extended box filtering", 2011). The border is continued. No exponential function is used,
/// so that the result is equal on every machine. \param sigma pixels, 0 = nothing changes.
void blur(WindowPlane& plane, Size window, double sigma);

/// Adds noise of this standard deviation, grey levels: for each pixel the sum of four uniform numbers, which
/// is nearly normal and no larger than 3.5 deviations. 0 = nothing changes.
void add_noise(WindowPlane& plane, double deviation, CounterRandom& random);

}  // namespace fovea
