#pragma once

#include <cstdint>
#include <vector>

#include "kernels/core/view.hpp"
#include "kernels/mct/mct_body.hpp"
#include "kernels/resize/halve.hpp"
#include "kernels/windows/levels.hpp"

namespace fovea {

/// The levels that an MCT cascade scans. Scales are start_scale · scale_factor^i, computed in double and
/// rounded to float, as long as the level holds a window and the window's box, rounded half to even, fits
/// into max_size. Levels whose box is below min_size are left out. A level's size is the octave's size
/// divided by the ratio, rounded down. `columns` and `rows` count the windows' places at step 1.
std::vector<PyramidLevel> mct_levels(Size image, const ScanParameters& parameters);

/// The source of a level: an octave, and the number of octave pixels a level pixel in each direction.
struct LevelSource {
    int octave = 0;    ///< how often the image is halved: floor(log2(scale)), 0 for scales below 1
    double ratio = 1;  ///< scale / 2^octave: 1 <= ratio < 2, or below 1 for scales below 1
};
LevelSource level_source(float scale);

/// The size of an octave: the image's, halved and rounded down `octave` times.
Size octave_size(Size image, int octave);

/// The taps of coordinates 0...count - 1 of a level. If ratio >= 1, tap i is the mean over
/// [i · ratio, (i + 1) · ratio), cut at pixels and rounded cumulatively to 1/256; below 1, it interpolates
/// linearly between pixel centres. \param source_size pixels of the octave in this direction, at least 1.
std::vector<AreaTap> area_taps(int count, double ratio, int source_size);

/// Makes a level pixel by pixel, as the reference for faster ways. \param octave of level_source(scale).
GreyBuffer make_level(ImageView<const std::uint8_t> octave, Size size, float scale);

/// Makes all octaves that the levels need; the first is a copy of the image.
std::vector<GreyBuffer> make_octaves(ImageView<const std::uint8_t> image,
                                     const std::vector<PyramidLevel>& levels);

}  // namespace fovea
