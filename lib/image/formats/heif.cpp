#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <libheif/heif.h>
#include <libheif/heif_plugin.h>

#include "lib/image/formats/codec.hpp"
#include "lib/image/formats/heif_properties.hpp"
#include "lib/image/formats/picture.hpp"
#include "lib/video/still/still_picture.hpp"
#include "lib/video/video_error.hpp"

// HEIC and AVIF by libheif, in 8-bit RGB: the container says how its luma and chroma become colours. The
// container's own turns and mirrors are part of the picture; an EXIF orientation beside them repeats them and
// is not looked at, as the format wants it.
//
// libheif reads the container, joins tiles and converts colours. The coded pictures in it are decoded by
// decode_still_picture(), as libheif's own decoders pass over damage and ask nobody before they take memory.

namespace fovea::codec {
namespace {

// --- the decoder of coded pictures that libheif is given -------------------------------------------

/// The limits of the coded pictures in the file that this thread decodes, and the reason why one failed:
/// libheif hands nothing of its caller to a decoder, and no exception back.
struct CodedPictures {
    explicit CodedPictures(std::int64_t pixels);
    ~CodedPictures();
    CodedPictures(const CodedPictures&) = delete;
    CodedPictures& operator=(const CodedPictures&) = delete;

    const std::int64_t max_pixels;
    std::exception_ptr failure;
};
thread_local CodedPictures* coded_pictures = nullptr;

CodedPictures::CodedPictures(std::int64_t pixels) : max_pixels(pixels) {
    coded_pictures = this;
}
CodedPictures::~CodedPictures() {
    coded_pictures = nullptr;
}

constexpr heif_error success{heif_error_Ok, heif_suberror_Unspecified, "success"};

/// A coded picture on its way through libheif's functions for decoders.
template <StillCodec codec>
struct CodedPicture {
    std::vector<std::uint8_t> data;

    static CodedPicture& of(void* decoder) { return *static_cast<CodedPicture*>(decoder); }

    /// Calls a function, and keeps what it throws for whoever decodes the file.
    template <class Function>
    static heif_error guarded(const Function& function) noexcept {
        constexpr heif_error failed{heif_error_Decoder_plugin_error, heif_suberror_Unspecified,
                                    "its picture cannot be decoded"};
        try {
            return function();
        } catch (...) {
            if (coded_pictures != nullptr) coded_pictures->failure = std::current_exception();
            return failed;
        }
    }

    static const char* name() { return "Fovea's decoder of still pictures"; }
    static int priority(heif_compression_format format) {
        constexpr heif_compression_format own =
            codec == StillCodec::hevc ? heif_compression_HEVC : heif_compression_AV1;
        constexpr int before_all = 1000;
        return format == own && coded_pictures != nullptr ? before_all : 0;
    }
    static heif_error make(void** decoder) {
        return guarded([&] {
            *decoder = new CodedPicture;
            return success;
        });
    }
    static void release(void* decoder) { delete &of(decoder); }
    static heif_error push(void* decoder, const void* bytes, std::size_t size) {
        return guarded([&] {
            const auto* const from = static_cast<const std::uint8_t*>(bytes);
            of(decoder).data.insert(of(decoder).data.end(), from, from + size);
            return success;
        });
    }
    static heif_error decode(void* decoder, heif_image** image);
    static void set_strict(void*, int) {}

    static constexpr heif_decoder_plugin plugin{3,
                                                name,
                                                nullptr,
                                                nullptr,
                                                priority,
                                                make,
                                                release,
                                                push,
                                                decode,
                                                set_strict,
                                                codec == StillCodec::hevc ? "fovea-hevc" : "fovea-av1"};
};

heif_error copy_planes(const StillPicture& picture, heif_image* image) {
    constexpr heif_channel channels[] = {heif_channel_Y, heif_channel_Cb, heif_channel_Cr};
    const std::size_t sample_bytes = picture.bits > 8 ? 2 : 1;
    for (int i = 0; i < picture.plane_count; ++i) {
        const StillPicture::Plane& plane = picture.planes[static_cast<std::size_t>(i)];
        const heif_error error =
            heif_image_add_plane(image, channels[i], plane.width, plane.height, picture.bits);
        if (error.code != heif_error_Ok) return error;
        int stride = 0;
        std::uint8_t* const to = heif_image_get_plane(image, channels[i], &stride);
        for (int y = 0; y < plane.height; ++y)
            std::memcpy(to + std::ptrdiff_t{y} * stride, plane.data + y * plane.stride_bytes,
                        static_cast<std::size_t>(plane.width) * sample_bytes);
    }
    return success;
}

/// The colours that the coded picture tells; the container's own stand above them.
void note_colours(const StillPicture& picture, heif_image* image) {
    heif_color_profile_nclx* const colours = heif_nclx_color_profile_alloc();
    if (colours == nullptr) throw std::bad_alloc();
    // A code that libheif does not know stands for none.
    heif_nclx_color_profile_set_color_primaries(colours, static_cast<std::uint16_t>(picture.primaries));
    heif_nclx_color_profile_set_transfer_characteristics(colours,
                                                         static_cast<std::uint16_t>(picture.transfer));
    heif_nclx_color_profile_set_matrix_coefficients(colours, static_cast<std::uint16_t>(picture.matrix));
    colours->full_range_flag = picture.is_full_range ? 1 : 0;
    heif_image_set_nclx_color_profile(image, colours);
    heif_nclx_color_profile_free(colours);
}

template <StillCodec codec>
heif_error CodedPicture<codec>::decode(void* decoder, heif_image** image) {
    return guarded([&] {
        std::vector<std::uint8_t>& data = of(decoder).data;
        const StillPicture picture = decode_still_picture(codec, data, coded_pictures->max_pixels);
        data = {};
        const bool is_grey = picture.plane_count == 1;
        const heif_chroma chroma = is_grey                      ? heif_chroma_monochrome
                                   : picture.chroma_shift_y > 0 ? heif_chroma_420
                                   : picture.chroma_shift_x > 0 ? heif_chroma_422
                                                                : heif_chroma_444;
        heif_image* made = nullptr;
        heif_error error =
            heif_image_create(picture.width, picture.height,
                              is_grey ? heif_colorspace_monochrome : heif_colorspace_YCbCr, chroma, &made);
        if (error.code != heif_error_Ok) return error;
        error = copy_planes(picture, made);
        if (error.code != heif_error_Ok) {
            heif_image_release(made);
            return error;
        }
        note_colours(picture, made);
        *image = made;
        return success;
    });
}

void register_decoders() {
    static std::once_flag once;
    std::call_once(once, [] {
        heif_register_decoder_plugin(&CodedPicture<StillCodec::hevc>::plugin);
        heif_register_decoder_plugin(&CodedPicture<StillCodec::av1>::plugin);
    });
}

// --- the file --------------------------------------------------------------------------------------

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
        register_decoders();
        // Several images are decoded at once anyway.
        heif_context_set_max_decoding_threads(context_.get(), 0);
        check(
            heif_context_read_from_memory_without_copy(context_.get(), bytes.data(), bytes.size(), nullptr));
        heif_image_handle* handle = nullptr;
        check(heif_context_get_primary_image_handle(context_.get(), &handle));
        handle_.reset(handle);
        has_sides_swapped_ = stated_width() == heif_image_handle_get_ispe_width(handle) &&
                             stated_height() == heif_image_handle_get_ispe_height(handle) &&
                             has_size_of_before_its_turn(bytes);
    }

    /// Pixels that a coded picture of the file may have: those of the whole picture before it is cut, in the
    /// largest blocks, or of one tile.
    std::int64_t max_coded_pixels() const {
        const auto blocks = [](int size) { return std::int64_t{std::max(size, 0)} / 128 + 1; };
        return std::max(tile_pixels, blocks(heif_image_handle_get_ispe_width(handle_.get())) * 128 *
                                         blocks(heif_image_handle_get_ispe_height(handle_.get())) * 128);
    }

    bool has_alpha() const { return heif_image_handle_has_alpha_channel(handle_.get()) != 0; }
    int width() const { return has_sides_swapped_ ? stated_height() : stated_width(); }
    int height() const { return has_sides_swapped_ ? stated_width() : stated_height(); }

    cv::Mat decode() const {
        const std::unique_ptr<heif_decoding_options, FreeHeif> options(heif_decoding_options_alloc());
        if (!options) throw std::bad_alloc();
        options->convert_hdr_to_8bit = 1;
        options->strict_decoding = 1;
        const std::unique_ptr<heif_image, FreeHeif> image = decode_as_rgb(*options);
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

    /// Tiles may be larger than a small picture made of them.
    static constexpr std::int64_t tile_pixels = std::int64_t{1} << 20;

  private:
    int stated_width() const { return heif_image_handle_get_width(handle_.get()); }
    int stated_height() const { return heif_image_handle_get_height(handle_.get()); }

    std::unique_ptr<heif_image, FreeHeif> decode_as_rgb(const heif_decoding_options& options) const {
        CodedPictures pictures(max_coded_pixels());
        heif_image* decoded = nullptr;
        const heif_error error = heif_decode_image(handle_.get(), &decoded, heif_colorspace_RGB,
                                                   heif_chroma_interleaved_RGB, &options);
        std::unique_ptr<heif_image, FreeHeif> image(decoded);
        if (error.code == heif_error_Ok) return image;
        try {
            if (pictures.failure) std::rethrow_exception(pictures.failure);
        } catch (const VideoError& failure) {
            throw ImageError(std::string("corrupt HEIF: ") + failure.what());
        }
        check(error);
        throw ImageError("corrupt HEIF: it has no picture");
    }

    std::unique_ptr<heif_context, FreeHeif> context_;
    std::unique_ptr<const heif_image_handle, FreeHeif> handle_;
    bool has_sides_swapped_ = false;  // in what libheif states
};

}  // namespace

ImageHeader read_heif_header(Bytes bytes) {
    const HeifFile file(bytes);
    ImageHeader header{file.width(), file.height()};
    // Three planes of up to 16 bits twice, as the decoder and as libheif have them, or libheif's and RGB; the
    // rest of the decoder's; the grey. Alpha is one plane more, in both.
    header.working_bytes_per_pixel = 6 + 6 + 1 + 1 + (file.has_alpha() ? 4 : 0);
    // Decoders have tables of their own, and a small picture may be made of larger tiles.
    header.buffer_bytes = (std::int64_t{4} << 20) + HeifFile::tile_pixels * 6;
    // Those of libheif, of its decoder, and two on their way into FFmpeg.
    header.copies = 4;
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
