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

/// One image that was read: decoded, kept encoded for another decoder, or unreadable.
struct LoadedImage {
    std::size_t index = 0;   ///< position in the list given to the prefetcher
    GreyImage image;         ///< empty if unreadable, or if there is `jpeg`
    std::string unreadable;  ///< the reason; empty if there is `image` or `jpeg`
    std::optional<EncodedJpeg> jpeg;
    /// The file of `image`, unpacked, for its colours; empty if it is not kept, and for frames of videos.
    std::vector<std::uint8_t> file;
    int scale = 1;  ///< `image` has 1 / scale (1, 2, 4, 8) of the picture's size, rounded up
    /// The pixels of the picture by which a reduced `image` begins left of and above the picture: 0 unless it
    /// was mirrored or turned for display.
    int left = 0, top = 0;
    int pages = 1;                   ///< of the file; `image` is the first one
    bool by_nvjpeg = false;          ///< nvJPEG decoded it
    bool by_nvdec = false;           ///< NVDEC decoded it
    bool is_damaged = false;         ///< a frame of a video whose decoder met errors in it
    bool refused_by_nvjpeg = false;  ///< it was kept for nvJPEG, which refused it
    ImageSize size;                  ///< of the whole picture, turned for display
    std::size_t encoded_bytes = 0;   ///< bytes read from the file, or unpacked from the archive
    double read_seconds = 0;         ///< the time of the thread that read it
    double decode_seconds = 0;       ///< that thread's time for unpacking, headers and pixels
};

}  // namespace fovea
