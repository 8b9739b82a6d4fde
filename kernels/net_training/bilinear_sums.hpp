#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace fovea {

/// A grey image of at least one pixel, without gaps between its rows.
struct GreyPixels {
    const std::uint8_t* pixels;
    int width, height;
};

/// Places in an image in pixels; (0.5, 0.5) is the centre of the top left pixel.
struct PixelPlaces {
    std::span<const float> x, y;  ///< of as many
};

/// Adds grey levels at some samples about each place, by bilinear interpolation; the image's border is
/// continued by half a pixel. Samples outside the image do not count. Results are the same on every machine.
/// \param offsets of the samples from a place. \param sums, counts [place] receive the sum of the levels, in
/// the order of the samples, and their number.
void add_bilinear(const GreyPixels& image, const PixelPlaces& places, const PixelPlaces& offsets, float* sums,
                  std::int32_t* counts);

}  // namespace fovea
