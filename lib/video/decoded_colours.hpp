#pragma once

#include "lib/video/colour_frame.hpp"
#include "lib/video/ffmpeg.hpp"
#include "lib/video/video_source.hpp"

namespace fovea {

/// The frame in YUV 4:2:0 with 8 bits; other formats are converted by FFmpeg's libswscale.
/// \param pixel  as stored; the frame is stretched to square ones. \param orientation EXIF's, by which it is
/// then turned. \throws VideoError if FFmpeg cannot convert it;
/// std::bad_alloc
ColourFrame colours_of(const AVFrame& frame, const PixelShape& pixel, int orientation);

}  // namespace fovea
