#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <turbojpeg.h>

#include "kernels/luma/grey.hpp"
#include "lib/image/formats/codec.hpp"
#include "lib/image/formats/jpeg_segments.hpp"
#include "lib/image/formats/orientation.hpp"

// Which JPEG files count as damaged. libjpeg decodes on after damage, inventing the pixels that it lacks, and
// only warns. Here the warnings are sorted: those that cannot have touched a pixel are let pass (bytes
// between segments, odd JFIF revision, unknown Adobe transform, odd but unambiguous scan parameters); every
// other makes the image unreadable. TurboJPEG keeps the text of the first warning only, so after a harmless
// one the end-of-image marker is looked for, and a file without it is truncated.

namespace fovea::codec {
namespace {

struct CloseTurboJpeg {
    void operator()(void* handle) const { tjDestroy(handle); }
};
using TurboJpeg = std::unique_ptr<void, CloseTurboJpeg>;

/// For one image: libjpeg keeps quantisation and Huffman tables from image to image, so that a file which
/// lacks its own, or is damaged, would be decoded by those of the file before.
TurboJpeg open_turbojpeg() {
    TurboJpeg handle(tjInitDecompress());
    if (!handle) throw std::bad_alloc();  // nothing else fails there
    return handle;
}

bool reaches_end_of_image(Bytes bytes) {
    return walk_jpeg_segments(bytes, [](std::uint8_t, Bytes) { return true; });
}

bool has_frame_header(Bytes bytes) {
    bool found = false;
    walk_jpeg_segments(bytes, [&](std::uint8_t marker, Bytes) {
        found = is_jpeg_frame_header(marker);
        return !found;
    });
    return found;
}

/// libjpeg holds the coefficients of all components, 16 bits each, until the last scan if an image comes in
/// several (progressive, or each component by itself); otherwise those of one row of blocks, counted as 0.
std::int64_t coefficient_bytes(Bytes bytes) {
    std::int64_t all = 0;
    std::size_t components = 0;
    bool several_scans = false;
    walk_jpeg_segments(bytes, [&](std::uint8_t marker, Bytes payload) {
        const HeaderReader reader(payload, ByteOrder::big, "JPEG");
        if (marker == jpeg_sos) {
            several_scans = several_scans || reader.u8(0) < components;
            return false;
        }
        if (!is_jpeg_frame_header(marker)) return true;
        several_scans = marker == jpeg_sof2 || marker == jpeg_sof10;
        const std::int64_t height = reader.u16(1), width = reader.u16(3);
        components = reader.u8(5);
        std::int64_t largest_h = 1, largest_v = 1;
        for (std::size_t i = 0; i < components; ++i) {
            largest_h = std::max<std::int64_t>(largest_h, reader.u8(7 + 3 * i) >> 4);
            largest_v = std::max<std::int64_t>(largest_v, reader.u8(7 + 3 * i) & 15);
        }
        const auto up = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
        all = 0;
        for (std::size_t i = 0; i < components; ++i) {
            const std::int64_t h = reader.u8(7 + 3 * i) >> 4, v = reader.u8(7 + 3 * i) & 15;
            all += up(width, 8 * largest_h) * h * up(height, 8 * largest_v) * v * 64 * 2;
        }
        return true;
    });
    return several_scans ? all : 0;
}

bool is_harmless(const std::string& warning) {
    constexpr std::array harmless = {"extraneous bytes before marker", "unknown JFIF revision",
                                     "Unknown Adobe color transform",
                                     "Invalid SOS parameters for sequential"};
    return std::any_of(harmless.begin(), harmless.end(),
                       [&](const char* text) { return warning.find(text) != std::string::npos; });
}

void throw_if_out_of_memory(const std::string& message) {
    if (message.find("Insufficient memory") != std::string::npos) throw std::bad_alloc();
}

/// Judges the outcome of a TurboJPEG call.
void check(int outcome, tjhandle handle, Bytes bytes) {
    if (outcome == 0) return;
    const std::string message = tjGetErrorStr2(handle);
    if (tjGetErrorCode(handle) == TJERR_WARNING) {
        if (is_harmless(message)) {
            if (!reaches_end_of_image(bytes)) throw_truncated("JPEG", "no end-of-image marker");
            return;
        }
        if (message.find("remature end") != std::string::npos) throw_truncated("JPEG", message);
    }
    throw_if_out_of_memory(message);
    throw ImageError("corrupt JPEG: " + message);
}

struct JpegHeader {
    int width = 0;
    int height = 0;
    int colour_space = -1;
};

JpegHeader read_with_turbojpeg(tjhandle handle, Bytes bytes) {
    JpegHeader header;
    int subsampling = 0;
    const int outcome =
        tjDecompressHeader3(handle, bytes.data(), static_cast<unsigned long>(bytes.size()), &header.width,
                            &header.height, &subsampling, &header.colour_space);
    if (outcome == 0) {
        // TurboJPEG calls a file without a frame header, as one has that is cut within its metadata, complete
        // and of no size.
        if (header.width <= 0 && !has_frame_header(bytes))
            throw_truncated("JPEG", "it ends before its frame header");
        return header;
    }
    // An uncommon chroma subsampling has no name in TurboJPEG but is decoded all the same. A warning here
    // comes again when the image is decoded, and is judged there.
    const bool complete = header.width > 0 && header.height > 0 && header.colour_space >= 0;
    const bool unnamed_subsampling =
        std::strstr(tjGetErrorStr2(handle), "subsampling type") != nullptr && complete;
    if (unnamed_subsampling || (tjGetErrorCode(handle) == TJERR_WARNING && complete)) return header;
    const std::string message = tjGetErrorStr2(handle);
    throw_if_out_of_memory(message);
    throw ImageError("corrupt JPEG: " + message);
}

}  // namespace

int read_jpeg_orientation(Bytes bytes) {
    std::optional<int> orientation;
    walk_jpeg_segments(bytes, [&](std::uint8_t marker, Bytes payload) {
        if (marker == jpeg_app1 && has_magic(payload, 0, "Exif\0\0", 6))
            orientation = exif_orientation(payload);
        return marker != jpeg_sos && !orientation;
    });
    return orientation.value_or(1);
}

int jpeg_reduction(int largest) {
    int reduction = 1;
    while (reduction < 8 && reduction * 2 <= largest) reduction *= 2;
    return reduction;
}

ImageHeader read_jpeg_header(Bytes bytes) {
    const TurboJpeg handle = open_turbojpeg();
    const JpegHeader header = read_with_turbojpeg(handle.get(), bytes);
    ImageHeader result{header.width, header.height, 1};
    if (header.colour_space != TJCS_YCbCr && header.colour_space != TJCS_GRAY)
        result.working_bytes_per_pixel += 4;
    result.buffer_bytes = coefficient_bytes(bytes);
    return result;
}

DecodedImage decode_jpeg(Bytes bytes, const ImageHeader&, int largest_reduction,
                         std::vector<std::uint8_t> room) {
    const TurboJpeg handle = open_turbojpeg();
    const JpegHeader header = read_with_turbojpeg(handle.get(), bytes);
    DecodedImage result;
    result.orientation = read_jpeg_orientation(bytes);
    result.scale = jpeg_reduction(largest_reduction);
    const tjscalingfactor factor{1, result.scale};
    result.image.width = TJSCALED(header.width, factor);
    result.image.height = TJSCALED(header.height, factor);
    const std::size_t count =
        static_cast<std::size_t>(result.image.width) * static_cast<std::size_t>(result.image.height);
    result.image.pixels = std::move(room);
    result.image.pixels.resize(count);
    std::uint8_t* grey = result.image.pixels.data();

    const auto decode_as = [&](TJPF pixel_format, std::uint8_t* to) {
        check(tjDecompress2(handle.get(), bytes.data(), static_cast<unsigned long>(bytes.size()), to,
                            result.image.width, 0, result.image.height, pixel_format,
                            TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS),
              handle.get(), bytes);
    };
    if (header.colour_space == TJCS_YCbCr || header.colour_space == TJCS_GRAY) {
        decode_as(TJPF_GRAY, grey);
    } else if (header.colour_space == TJCS_RGB) {
        std::vector<std::uint8_t> rgb(count * 3);
        decode_as(TJPF_RGB, rgb.data());
        for (std::size_t i = 0; i < count; ++i)
            grey[i] = grey_of_rgb(rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2]);
    } else {
        std::vector<std::uint8_t> cmyk(count * 4);
        decode_as(TJPF_CMYK, cmyk.data());
        for (std::size_t i = 0; i < count; ++i)
            grey[i] = grey_of_inverted_cmyk(cmyk[4 * i], cmyk[4 * i + 1], cmyk[4 * i + 2], cmyk[4 * i + 3]);
    }
    return result;
}

Picture read_jpeg_picture(Bytes bytes, const ImageHeader&) {
    const TurboJpeg handle = open_turbojpeg();
    const JpegHeader header = read_with_turbojpeg(handle.get(), bytes);
    const bool has_colours = header.colour_space == TJCS_YCbCr || header.colour_space == TJCS_RGB;
    if (!has_colours) return picture_of(decode_jpeg(bytes, {}));
    cv::Mat pixels = make_pixels(header.width, header.height, CV_8UC3);
    check(tjDecompress2(handle.get(), bytes.data(), static_cast<unsigned long>(bytes.size()), pixels.data,
                        header.width, 0, header.height, TJPF_RGB, TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS),
          handle.get(), bytes);
    return {std::move(pixels), read_jpeg_orientation(bytes)};
}

}  // namespace fovea::codec
