#include "lib/image/orientation.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "lib/image/decode.hpp"

namespace fovea {

GreyImage apply_orientation(GreyImage image, int orientation) {
    if (orientation < 2 || orientation > 8 || image.empty()) return image;
    const std::ptrdiff_t w = image.width, h = image.height;
    // Where the source's pixel for output (0, 0) lies, and the steps in the source for one to the right and
    // one down in the output.
    struct Walk {
        std::ptrdiff_t start, right, down;
    };
    const Walk walks[] = {
        {w - 1, -1, w},        // 2
        {w * h - 1, -1, -w},   // 3
        {w * (h - 1), 1, -w},  // 4
        {0, w, 1},             // 5
        {w * (h - 1), -w, 1},  // 6
        {w * h - 1, -w, -1},   // 7
        {w - 1, w, -1},        // 8
    };
    const Walk walk = walks[orientation - 2];
    GreyImage result;
    result.width = orientation >= 5 ? image.height : image.width;
    result.height = orientation >= 5 ? image.width : image.height;
    result.pixels.resize(image.pixels.size());

    // In square tiles, so that turned images do not touch a new cache line for every pixel.
    constexpr int tile = 64;
    for (int ty = 0; ty < result.height; ty += tile)
        for (int tx = 0; tx < result.width; tx += tile)
            for (int y = ty; y < std::min(ty + tile, result.height); ++y) {
                const std::uint8_t* from = image.pixels.data();
                std::uint8_t* to = result.pixels.data() + static_cast<std::ptrdiff_t>(y) * result.width;
                for (int x = tx; x < std::min(tx + tile, result.width); ++x)
                    to[x] = from[walk.start + x * walk.right + y * walk.down];
            }
    return result;
}

int codec::exif_orientation(Bytes exif) {
    if (has_magic(exif, 0, "Exif\0\0", 6)) exif = exif.subspan(6);
    try {
        const MemoryAccess stream(exif);
        return exif_orientation(TiffDirectory(stream));
    } catch (const ImageError&) {
        return 1;
    }
}

int codec::exif_orientation(const TiffDirectory& directory) {
    constexpr std::uint32_t orientation_tag = 274;
    try {
        const auto value = directory.value(orientation_tag);
        return value && *value >= 1 && *value <= 8 ? static_cast<int>(*value) : 1;
    } catch (const ImageError&) {
        return 1;
    }
}

}  // namespace fovea
