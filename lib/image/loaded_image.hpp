#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/core/types.hpp"
#include "lib/image/formats/image.hpp"
#include "lib/image/formats/jpeg_frame.hpp"

namespace fovea {

/// One image that was read: decoded, kept encoded for another decoder, or why neither.
struct LoadedImage {
    std::size_t index = 0;   ///< position in the list given to the prefetcher
    GreyImage image;         ///< empty if unreadable, or if there is `jpeg`
    std::string unreadable;  ///< the reason; empty if there is `image` or `jpeg`
    std::optional<EncodedJpeg> jpeg;
    /// The file of `image`, unpacked, where it is kept: its colours are in it. Empty where there is none, as
    /// of a frame of a video.
    std::vector<std::uint8_t> file;
    int scale = 1;  ///< `image` is the picture at 1 / scale (1, 2, 4, 8) of its size, rounded up
    /// The part of a pixel's square by which the first column and row of a reduced `image` begin before the
    /// picture, in pixels of the picture: 0 unless it is mirrored or turned for display.
    int left = 0, top = 0;
    int pages = 1;           ///< of the file: `image` is the first one
    bool by_nvjpeg = false;  ///< who decoded it
    bool by_nvdec = false;
    bool is_damaged = false;         ///< a frame of a video in which its decoder met errors
    bool refused_by_nvjpeg = false;  ///< it was kept for nvJPEG, which did not take it
    ImageSize size;  ///< of the whole picture as displayed; of `jpeg` as its decoder is to turn it
    std::size_t encoded_bytes = 0;  ///< read from the file, or from the archive unpacked
    double read_seconds = 0;        ///< of the thread that read it
    double decode_seconds = 0;      ///< of that thread: unpacking, headers, pixels
};

}  // namespace fovea
