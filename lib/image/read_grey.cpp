#include "lib/image/read_grey.hpp"

#include "lib/image/frame_opener.hpp"
#include "lib/image/load.hpp"

namespace fovea {
namespace {

DecodeOptions full_size(DecodeOptions options) {
    options.largest_reduction = 1;
    return options;
}

}  // namespace

GreyImage read_grey_image(const std::filesystem::path& path, const DecodeOptions& options) {
    return codec::load_image(path, full_size(options), [](std::size_t, bool) {});
}

GreyImage read_grey_image(const ImageLocation& place, const DecodeOptions& options) {
    return place.frame ? read_grey_frame(*place.frame, options) : read_grey_image(place.file, options);
}

GreyImage decode_grey_image(std::span<const std::uint8_t> bytes, const DecodeOptions& options) {
    return codec::load_image(bytes, full_size(options));
}

}  // namespace fovea
