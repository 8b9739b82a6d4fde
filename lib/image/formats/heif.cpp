#include <memory>
#include <new>
#include <string>
#include <utility>

#include <libheif/heif.h>

#include "lib/image/formats/codec.hpp"
#include "lib/image/formats/picture.hpp"

// HEIC and AVIF by libheif, in 8-bit RGB: the container says how its luma and chroma become colours. The
// container's own turns and mirrors are part of the picture; an EXIF orientation beside them repeats them and
// is not looked at, as the format wants it.

namespace fovea::codec {
namespace {

struct FreeHeif {
    void operator()(heif_context* context) const { heif_context_free(context); }
    void operator()(const heif_image_handle* handle) const { heif_image_handle_release(handle); }
    void operator()(const heif_image* image) const { heif_image_release(image); }
    void operator()(heif_decoding_options* options) const { heif_decoding_options_free(options); }
};

void check(const heif_error& error) {
    if (error.code == heif_error_Ok) return;
    if (error.code == heif_error_Memory_allocation_error &&
        error.subcode != heif_suberror_Security_limit_exceeded)
        throw std::bad_alloc();
    const std::string message = error.message != nullptr ? error.message : "unknown error";
    if (error.subcode == heif_suberror_End_of_data) throw_truncated("HEIF", message);
    if (error.code == heif_error_Unsupported_feature || error.code == heif_error_Unsupported_filetype)
        throw ImageError("HEIF of this kind is not supported: " + message);
    throw ImageError("corrupt HEIF: " + message);
}

/// A file of HEIF, opened, and its primary picture.
class HeifFile {
  public:
    explicit HeifFile(Bytes bytes) : context_(heif_context_alloc()) {
        if (!context_) throw std::bad_alloc();
        // Several images are decoded at once anyway.
        heif_context_set_max_decoding_threads(context_.get(), 0);
        check(
            heif_context_read_from_memory_without_copy(context_.get(), bytes.data(), bytes.size(), nullptr));
        heif_image_handle* handle = nullptr;
        check(heif_context_get_primary_image_handle(context_.get(), &handle));
        handle_.reset(handle);
    }

    int width() const { return heif_image_handle_get_width(handle_.get()); }
    int height() const { return heif_image_handle_get_height(handle_.get()); }

    cv::Mat decode() const {
        const std::unique_ptr<heif_decoding_options, FreeHeif> options(heif_decoding_options_alloc());
        if (!options) throw std::bad_alloc();
        options->convert_hdr_to_8bit = 1;
        options->strict_decoding = 1;
        heif_image* decoded = nullptr;
        check(heif_decode_image(handle_.get(), &decoded, heif_colorspace_RGB, heif_chroma_interleaved_RGB,
                                options.get()));
        const std::unique_ptr<heif_image, FreeHeif> image(decoded);
        int stride = 0;
        const std::uint8_t* const plane =
            heif_image_get_plane_readonly(image.get(), heif_channel_interleaved, &stride);
        if (plane == nullptr || heif_image_get_width(image.get(), heif_channel_interleaved) != width() ||
            heif_image_get_height(image.get(), heif_channel_interleaved) != height())
            throw ImageError("corrupt HEIF: header and picture differ in size");
        cv::Mat pixels = make_pixels(width(), height(), CV_8UC3);
        cv::Mat(height(), width(), CV_8UC3, const_cast<std::uint8_t*>(plane),
                static_cast<std::size_t>(stride))
            .copyTo(pixels);
        return pixels;
    }

  private:
    std::unique_ptr<heif_context, FreeHeif> context_;
    std::unique_ptr<const heif_image_handle, FreeHeif> handle_;
};

}  // namespace

ImageHeader read_heif_header(Bytes bytes) {
    const HeifFile file(bytes);
    ImageHeader header{file.width(), file.height()};
    // The decoder's own frame (three planes of up to 16 bits), libheif's RGB, the picture, the grey.
    header.working_bytes_per_pixel = 6 + 3 + 3 + 1;
    header.orientation = 1;
    return header;
}

Picture read_heif_picture(Bytes bytes, const ImageHeader& header) {
    const HeifFile file(bytes);
    if (file.width() != header.width || file.height() != header.height)
        throw ImageError("corrupt HEIF: its header contradicts itself");
    return {file.decode(), 1};
}

}  // namespace fovea::codec
