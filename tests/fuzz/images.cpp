#include "lib/image/colour.hpp"
#include "lib/image/formats/decode.hpp"
#include "lib/image/formats/jpeg_frame.hpp"
#include "lib/image/formats/orientation.hpp"
#include "lib/image/image_size.hpp"
#include "lib/image/read_grey.hpp"
#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/files.hpp"
#include "tests/fuzz/targets.hpp"

namespace fovea::fuzz {

/// The image from memory, from a file, its size alone, and in colour: all must say the same of it.
void read_image_target(std::string_view input) {
    DecodeOptions options;
    options.max_pixels = 1 << 18;
    const auto grey = if_readable([&] { return decode_grey_image(bytes_of(input), options); });
    const auto file = write_input("image", input);
    const auto again = if_readable([&] { return read_grey_image(file, options); });
    require(grey.has_value() == again.has_value(), "an image is readable in memory or in a file only");
    const auto size = if_readable([&] { return read_image_size(file, options); });
    const auto picture = if_readable([&] { return read_picture(file, options); });
    require(grey.has_value() == picture.has_value(), "an image is readable in grey or in colour only");
    if (!grey) return;
    require(again->width == grey->width && again->pixels == grey->pixels,
            "an image has other pixels in a file than in memory");
    require(size && size->width == grey->width && size->height == grey->height,
            "an image has another size than its file says");
    require(picture->cols == grey->width && picture->rows == grey->height,
            "an image has another size in colour than in grey");
}

void read_exif_target(std::string_view input) {
    const std::optional<int> orientation = codec::exif_orientation(bytes_of(input));
    require(!orientation || (*orientation >= 1 && *orientation <= 8), "an orientation is none of 1 to 8");
}

/// The markers, held against the decoder: what that decodes has a frame, of the same size.
void read_jpeg_frame_target(std::string_view input) {
    const std::optional<JpegFrame> frame = read_jpeg_frame(bytes_of(input));
    if (frame)
        require(frame->orientation >= 1 && frame->orientation <= 8, "an orientation is none of 1 to 8");
    if (!input.starts_with("\xff\xd8\xff")) {
        require(!frame, "there is a frame in what is no JPEG");
        return;
    }
    DecodeOptions options;
    options.max_pixels = 1 << 18;
    options.apply_exif_orientation = false;
    const auto image = if_readable([&] { return decode_grey_image(bytes_of(input), options); });
    if (!image) return;
    require(frame.has_value(), "a JPEG is decoded and has no frame");
    require(frame->size.width == image->width && frame->size.height == image->height,
            "a JPEG has another size than its frame");
    require(frame->baseline || !frame->complete, "a JPEG counts as complete that is not baseline");
}

}  // namespace fovea::fuzz
