#include <cmath>
#include <string>

#include <fovea/image.hpp>

#include "lib/api/common/guarded.hpp"
#include "lib/core/error.hpp"
#include "lib/image/formats/decode.hpp"
#include "lib/image/read_grey.hpp"

namespace fovea::api {
namespace {

fovea::DecodeOptions decode_options_of(const ReadOptions& options) {
    // The same as of --max-megapixels.
    constexpr double most = 1e6;
    if (!(options.max_megapixels > 0 && options.max_megapixels <= most))
        throw UsageError("max_megapixels must be above 0 and at most a million, but is " +
                         std::to_string(options.max_megapixels));
    fovea::DecodeOptions decode;
    decode.max_pixels = std::llround(options.max_megapixels * 1e6);
    decode.apply_exif_orientation = options.apply_exif_orientation;
    return decode;
}

Image outer(GreyImage&& image) {
    return {image.width, image.height, std::move(image.pixels)};
}

}  // namespace

Image read_image(const std::filesystem::path& file, const ReadOptions& options) {
    try {
        return guarded([&] { return outer(read_grey_image(file, decode_options_of(options))); });
    } catch (const ImageError& error) {
        throw Error("'" + file.string() + "' cannot be read: " + error.what());
    }
}

Image decode_image(std::span<const std::uint8_t> bytes, const ReadOptions& options) {
    return guarded([&] { return outer(decode_grey_image(bytes, decode_options_of(options))); });
}

}  // namespace fovea::api
