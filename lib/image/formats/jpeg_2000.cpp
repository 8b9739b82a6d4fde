#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include <openjpeg.h>

#include "kernels/luma/grey.hpp"
#include "lib/image/formats/codec.hpp"
#include "lib/image/formats/picture.hpp"

// JPEG 2000 (ISO/IEC 15444-1) by OpenJPEG: JP2 files and bare codestreams, of 1 to 4 components of up to 16
// bits. The luma is taken as it is, as a JPEG's, if they are luma and chroma (sYCC).

namespace fovea::codec {
namespace {

constexpr std::size_t signature_box = 12;

bool is_bare(Bytes bytes) {
    return has_magic(bytes, 0, "\xff\x4f\xff\x51", 4);
}

/// The beginning of the codestream: behind the head of the box jp2c.
std::size_t codestream_at(const HeaderReader& reader, Bytes bytes) {
    if (is_bare(bytes)) return 0;
    for (std::size_t at = signature_box;;) {
        const std::uint64_t short_length = reader.u32(at);
        reader.u32(at + 4);
        std::uint64_t length = short_length, head = 8;
        if (short_length == 1) {
            length = std::uint64_t{reader.u32(at + 8)} << 32 | reader.u32(at + 12);
            head = 16;
        }
        if (has_magic(bytes, at + 4, "jp2c", 4)) return at + head;
        if (length < head) throw ImageError("corrupt JPEG 2000: a box that is shorter than its head");
        // Behind the end the reader refuses.
        at = length > bytes.size() - at ? bytes.size() : at + static_cast<std::size_t>(length);
    }
}

/// An empty packet is a zero: a half-copied file's zeros would be many of them. A codestream that is all
/// there ends in the marker EOC, whatever stands behind it.
void check_end_of_codestream(Bytes bytes) {
    const Bytes coded = bytes.first(bytes.size() - zeros_at_end(bytes));
    if (coded.size() < 2 || !has_magic(coded, coded.size() - 2, "\xff\xd9", 2))
        check_not_zeroed("JPEG 2000", bytes);
}

class Source {
  public:
    explicit Source(Bytes bytes)
        : bytes_(bytes), stream_(opj_stream_create(std::size_t{1} << 16, OPJ_TRUE), &opj_stream_destroy) {
        if (!stream_) throw std::bad_alloc();
        opj_stream_set_user_data(stream_.get(), this, nullptr);
        opj_stream_set_user_data_length(stream_.get(), bytes.size());
        opj_stream_set_read_function(stream_.get(), read);
        opj_stream_set_skip_function(stream_.get(), skip);
        opj_stream_set_seek_function(stream_.get(), seek);
    }

    opj_stream_t* get() const { return stream_.get(); }

  private:
    static OPJ_SIZE_T read(void* to, OPJ_SIZE_T length, void* user) {
        Source& source = *static_cast<Source*>(user);
        const std::size_t count = std::min<std::size_t>(length, source.bytes_.size() - source.at_);
        if (count == 0) return static_cast<OPJ_SIZE_T>(-1);
        std::memcpy(to, source.bytes_.data() + source.at_, count);
        source.at_ += count;
        return count;
    }
    static OPJ_OFF_T skip(OPJ_OFF_T length, void* user) {
        Source& source = *static_cast<Source*>(user);
        if (length < 0 || static_cast<std::uint64_t>(length) > source.bytes_.size() - source.at_) return -1;
        source.at_ += static_cast<std::size_t>(length);
        return length;
    }
    static OPJ_BOOL seek(OPJ_OFF_T to, void* user) {
        Source& source = *static_cast<Source*>(user);
        if (to < 0 || static_cast<std::uint64_t>(to) > source.bytes_.size()) return OPJ_FALSE;
        source.at_ = static_cast<std::size_t>(to);
        return OPJ_TRUE;
    }

    Bytes bytes_;
    std::size_t at_ = 0;
    std::unique_ptr<opj_stream_t, void (*)(opj_stream_t*)> stream_;
};

/// Keeps the first error.
void take_message(const char* message, void* user) {
    std::string& text = *static_cast<std::string*>(user);
    if (!text.empty()) return;
    text = message;
    text.erase(text.find_last_not_of("\n\r ") + 1);
}
void ignore_message(const char*, void*) {}

using ImagePointer = std::unique_ptr<opj_image_t, void (*)(opj_image_t*)>;

ImagePointer decode_components(Bytes bytes) {
    std::string complaint;
    const std::unique_ptr<opj_codec_t, void (*)(opj_codec_t*)> codec(
        opj_create_decompress(is_bare(bytes) ? OPJ_CODEC_J2K : OPJ_CODEC_JP2), &opj_destroy_codec);
    if (!codec) throw std::bad_alloc();
    opj_set_error_handler(codec.get(), take_message, &complaint);
    opj_set_warning_handler(codec.get(), ignore_message, nullptr);
    opj_set_info_handler(codec.get(), ignore_message, nullptr);
    opj_dparameters_t parameters;
    opj_set_default_decoder_parameters(&parameters);
    const Source source(bytes);
    opj_image_t* read = nullptr;
    bool succeeded = opj_setup_decoder(codec.get(), &parameters) != OPJ_FALSE &&
                     opj_decoder_set_strict_mode(codec.get(), OPJ_TRUE) != OPJ_FALSE &&
                     opj_read_header(source.get(), codec.get(), &read) != OPJ_FALSE;
    ImagePointer image(read, &opj_image_destroy);
    succeeded = succeeded && opj_decode(codec.get(), source.get(), image.get()) != OPJ_FALSE &&
                opj_end_decompress(codec.get(), source.get()) != OPJ_FALSE;
    if (succeeded) return image;
    if (complaint.find("memory") != std::string::npos) throw std::bad_alloc();
    throw ImageError("corrupt JPEG 2000: " +
                     (complaint.empty() ? std::string("its decoder refuses it") : complaint));
}

/// A component's samples as bytes.
class Samples {
  public:
    explicit Samples(const opj_image_comp_t& component)
        : data_(component.data),
          offset_(component.sgnd != 0 ? 1 << (component.prec - 1) : 0),
          maximum_((1 << component.prec) - 1) {}

    std::uint8_t operator[](std::size_t i) const {
        return byte_of_sample(static_cast<std::uint32_t>(std::max(data_[i] + offset_, 0)),
                              static_cast<std::uint32_t>(maximum_));
    }

  private:
    const OPJ_INT32* data_;
    OPJ_INT32 offset_;
    OPJ_INT32 maximum_;
};

}  // namespace

ImageHeader read_jpeg_2000_header(Bytes bytes) {
    const HeaderReader reader(bytes, ByteOrder::big, "JPEG 2000");
    const std::size_t at = codestream_at(reader, bytes);
    reader.u32(at);
    if (!has_magic(bytes, at, "\xff\x4f\xff\x51", 4))
        throw ImageError("corrupt JPEG 2000: its codestream does not begin with its size");
    // The marker segment SIZ: its length, capabilities, the corners, those of tiles, the number of
    // components, and three bytes for each of them.
    const auto corner = [&](std::size_t i) { return std::int64_t{reader.u32(at + 8 + 4 * i)}; };
    const std::int64_t right = corner(0), bottom = corner(1), left = corner(2), top = corner(3);
    const std::int64_t tile_width = corner(4), tile_height = corner(5);
    const std::uint32_t components = reader.u16(at + 40);
    const std::int64_t dx = reader.u8(at + 43), dy = reader.u8(at + 44);
    if (components == 0 || dx == 0 || dy == 0 || tile_width == 0 || tile_height == 0)
        throw ImageError("corrupt JPEG 2000: a size of 0 in its header");
    const auto up = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
    ImageHeader header{up(right, dx) - up(left, dx), up(bottom, dy) - up(top, dy)};
    if (components > 64)
        throw ImageError("JPEG 2000 with " + std::to_string(components) + " components is not supported");
    // 32 bits for each sample, of the picture and of the tile at work, and the picture and the grey.
    header.working_bytes_per_pixel = static_cast<int>(2 * 4 * components) + 3 + 1;
    constexpr std::int64_t bytes_of_a_tile = 8192;  // OpenJPEG's parameters of each
    header.buffer_bytes =
        saturating_product(up(right - std::min(left, right), tile_width),
                           up(bottom - std::min(top, bottom), tile_height), bytes_of_a_tile);
    header.orientation = 1;
    return header;
}

Picture read_jpeg_2000_picture(Bytes bytes, const ImageHeader& header) {
    check_end_of_codestream(bytes);
    const ImagePointer image = decode_components(bytes);
    if (image->numcomps == 0 || image->comps[0].data == nullptr)
        throw ImageError("corrupt JPEG 2000: it has no pixels");
    const opj_image_comp_t& first = image->comps[0];
    if (first.w != header.width || first.h != header.height)
        throw ImageError("corrupt JPEG 2000: header and picture differ in size");
    const auto is_like_first = [&](const opj_image_comp_t& component) {
        return component.data != nullptr && component.w == first.w && component.h == first.h;
    };
    const bool is_luma_and_chroma =
        image->color_space == OPJ_CLRSPC_SYCC || image->color_space == OPJ_CLRSPC_EYCC;
    if (image->color_space == OPJ_CLRSPC_CMYK) throw ImageError("JPEG 2000 of CMYK is not supported");
    const bool has_colours = image->numcomps >= 3 && !is_luma_and_chroma && is_like_first(image->comps[1]) &&
                             is_like_first(image->comps[2]);
    for (OPJ_UINT32 i = 0; i < (has_colours ? 3u : 1u); ++i)
        if (image->comps[i].prec < 1 || image->comps[i].prec > 16)
            throw ImageError("JPEG 2000 of " + std::to_string(image->comps[i].prec) +
                             " bits per sample is not supported");
    cv::Mat pixels = make_pixels(header.width, header.height, has_colours ? CV_8UC3 : CV_8UC1);
    const std::size_t channels = has_colours ? 3 : 1;
    for (std::size_t channel = 0; channel < channels; ++channel) {
        const Samples samples(image->comps[channel]);
        for (std::size_t i = 0; i < pixels.total(); ++i) pixels.data[i * channels + channel] = samples[i];
    }
    return {std::move(pixels), 1};
}

}  // namespace fovea::codec
