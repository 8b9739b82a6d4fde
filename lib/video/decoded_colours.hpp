#pragma once

#include "lib/video/colour_frame.hpp"
#include "lib/video/ffmpeg.hpp"
#include "lib/video/video_source.hpp"

namespace fovea {

/// The frame in YUV 4:2:0 with 8 bits; FFmpeg's libswscale converts other formats.
/// \param pixel the shape of stored pixels: the frame is stretched to square ones. \param orientation EXIF's:
/// the frame is then turned by it. \throws VideoError if FFmpeg cannot convert it; std::bad_alloc
ColourFrame colours_of(const AVFrame& frame, const PixelShape& pixel, int orientation);

}  // namespace fovea
