#include "lib/image/formats/orientation.hpp"

#include <algorithm>
#include <vector>

#include "kernels/orient/orient.hpp"
#include "kernels/orient/orient_body.hpp"
#include "lib/image/formats/decode.hpp"

namespace fovea {

GreyImage apply_orientation(GreyImage image, int orientation) {
    if (orientation < 2 || orientation > 8 || image.empty()) return image;
    const Size size = displayed_size(orient_rule(orientation), {image.width, image.height});
    GreyImage result{size.width, size.height, {}};
    result.pixels.resize(image.pixels.size());
    orient_image(Device::cpu(), image.view(), orientation,
                 {result.pixels.data(), result.width, result.height, result.width});
    return result;
}

std::optional<int> codec::exif_orientation(Bytes exif) {
    if (has_magic(exif, 0, "Exif\0\0", 6)) exif = exif.subspan(6);
    try {
        const MemoryAccess stream(exif);
        return exif_orientation(TiffDirectory(stream));
    } catch (const ImageError&) {
        return std::nullopt;
    }
}

std::optional<int> codec::exif_orientation(const RandomAccess& stream, std::uint64_t at,
                                           std::uint64_t length) {
    std::vector<std::uint8_t> exif(std::min<std::uint64_t>(length, std::uint64_t{1} << 20));
    exif.resize(stream.read_at(at, exif.data(), exif.size()));
    return exif_orientation(exif);
}

std::optional<int> codec::exif_orientation(const TiffDirectory& directory) {
    constexpr std::uint32_t orientation_tag = 274;
    try {
        const auto value = directory.value(orientation_tag);
        if (value && *value >= 1 && *value <= 8) return static_cast<int>(*value);
    } catch (const ImageError&) {
        // A remark as well.
    }
    return std::nullopt;
}

}  // namespace fovea
