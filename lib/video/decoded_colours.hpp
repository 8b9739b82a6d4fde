#pragma once

#include "lib/video/colour_frame.hpp"
#include "lib/video/ffmpeg.hpp"

namespace fovea {

/// The frame in YUV 4:2:0 with 8 bits; other formats are converted by FFmpeg's libswscale.
/// \param orientation EXIF's, by which it is turned. \throws VideoError if FFmpeg cannot convert it;
/// std::bad_alloc
ColourFrame colours_of(const AVFrame& frame, int orientation);

}  // namespace fovea
