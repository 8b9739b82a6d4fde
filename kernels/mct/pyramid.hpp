#pragma once

#include <cstdint>
#include <vector>

#include "kernels/core/view.hpp"
#include "kernels/mct/mct_body.hpp"
#include "kernels/resize/halve.hpp"
#include "kernels/windows/levels.hpp"

namespace fovea {

/// The levels an MCT cascade scans: scales start_scale · scale_factor^i, in double and then rounded to float,
/// as long as the window, scaled and rounded half to even, fits into the image and max_size; those whose
/// window is below min_size are left out. A level's size is the octave's size divided by the ratio, rounded
/// down. `columns` and `rows` count the windows' places at step 1.
std::vector<PyramidLevel> mct_levels(Size image, const ScanParameters& parameters);

/// How a level is made: from octave `index` (the image halved that often), `ratio` octave pixels a level
/// pixel.
struct LevelSource {
    int octave = 0;    ///< floor(log2(scale)), 0 for scales below 1
    double ratio = 1;  ///< scale / 2^octave: 1 <= ratio < 2 but for scales below 1
};
LevelSource level_source(float scale);

/// Size of an octave: the image's, halved and rounded down `octave` times.
Size octave_size(Size image, int octave);

/// Taps of coordinates 0...count - 1 of a level. For ratio >= 1 the mean over [i · ratio, (i + 1) · ratio),
/// cut at pixels and rounded cumulatively to 1/256; below 1 linear interpolation between pixel centres.
/// \param source_size pixels of the octave in this direction, at least 1.
std::vector<AreaTap> area_taps(int count, double ratio, int source_size);

/// Makes the level of this size and scale, pixel by pixel: the reference of every faster way.
/// \param octave the octave that level_source(scale) names.
GreyBuffer make_level(ImageView<const std::uint8_t> octave, Size size, float scale);

/// All octaves that the levels need; the first is a copy of the image.
std::vector<GreyBuffer> make_octaves(ImageView<const std::uint8_t> image,
                                     const std::vector<PyramidLevel>& levels);

}  // namespace fovea
