#include "lib/video/still/still_picture.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "lib/video/ffmpeg.hpp"
#include "lib/video/packet.hpp"
#include "lib/video/video_error.hpp"

// FFmpeg's decoders go on after damage. These signs tell of it: their complaints; zeros at the end, as
// neither format ends in them; and of HEVC, whose arithmetic code loses its way at a wrong bit, what the
// decoder did not write into a picture that was filled with a pattern before, and that it does not come to
// the end of the data together with that of the picture. Neither codec has a checksum: a bit that turns one
// picture into another that might have been meant is not seen.

namespace fovea {
namespace {

using Bytes = std::span<const std::uint8_t>;

// --- what was never written ------------------------------------------------------------------------

/// A sample of the pattern, by its number in the buffer. No picture has it: neighbours have nothing in
/// common.
std::uint32_t pattern_at(std::size_t sample, int bits) {
    const std::uint32_t mixed = static_cast<std::uint32_t>(sample) * 2654435761U;
    return (mixed ^ mixed >> 15) * 2246822519U >> (32 - bits);
}

int bits_of(int format) {
    const AVPixFmtDescriptor* const descriptor = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(format));
    return descriptor == nullptr ? 0 : descriptor->comp[0].depth;
}

template <class Sample>
void fill(const AVBufferRef& buffer, int bits) {
    auto* const samples = reinterpret_cast<Sample*>(buffer.data);
    for (std::size_t i = 0; i < buffer.size / sizeof(Sample); ++i)
        samples[i] = static_cast<Sample>(pattern_at(i, bits));
}

int take_filled_buffer(AVCodecContext* context, AVFrame* frame, int flags) {
    const int status = avcodec_default_get_buffer2(context, frame, flags);
    const int bits = bits_of(frame->format);
    if (status < 0) return status;
    if (bits < 1 || bits > 16) return AVERROR(ENOSYS);
    for (const AVBufferRef* buffer : frame->buf) {
        if (buffer == nullptr) continue;
        bits <= 8 ? fill<std::uint8_t>(*buffer, bits) : fill<std::uint16_t>(*buffer, bits);
    }
    return status;
}

/// True if the pattern is left in some block of 4 x 4. Decoded pixels come in blocks of 8 x 8 or more, and
/// filters of their neighbours change three samples at their edges.
template <class Sample>
bool has_gap(const AVFrame& frame, const AVBufferRef& buffer, int bits) {
    constexpr int side = 4;
    const auto* const samples = reinterpret_cast<const Sample*>(buffer.data);
    const auto is_left = [&](int x, int y) {
        const auto at =
            static_cast<std::size_t>(frame.data[0] - buffer.data + std::ptrdiff_t{y} * frame.linesize[0]) /
                sizeof(Sample) +
            static_cast<std::size_t>(x);
        return samples[at] == pattern_at(at, bits);
    };
    const auto is_gap = [&](int left, int top) {
        for (int y = top; y < top + side; ++y)
            for (int x = left; x < left + side; ++x)
                if (!is_left(x, y)) return false;
        return true;
    };
    for (int y = 0; y + side <= frame.height; y += side)
        for (int x = 0; x + side <= frame.width; x += side)
            if (is_gap(x, y)) return true;
    return false;
}

void check_is_covered(AVFrame& frame) {
    const AVBufferRef* const buffer = av_frame_get_plane_buffer(&frame, 0);
    const int bits = bits_of(frame.format);
    const bool has = buffer == nullptr || (bits <= 8 ? has_gap<std::uint8_t>(frame, *buffer, bits)
                                                     : has_gap<std::uint16_t>(frame, *buffer, bits));
    if (has) throw VideoError("parts of its picture are missing");
}

// --- the coded bytes -------------------------------------------------------------------------------

// The last byte of both holds a bit that is set; a muxer may pad it.
void check_end(Bytes data) {
    constexpr std::ptrdiff_t max_zeros = 64;
    const auto last = std::find_if(data.rbegin(), data.rend(), [](std::uint8_t byte) { return byte != 0; });
    if (last - data.rbegin() > max_zeros)
        throw VideoError("truncated: its coded data end in " + std::to_string(last - data.rbegin()) +
                         " zeros");
}

/// No NAL unit holds the beginning of another, nor anything that could be taken for one, but zeros at its
/// end, which are left out.
Bytes checked_unit(Bytes unit) {
    std::size_t size = unit.size();
    while (size > 0 && unit[size - 1] == 0) --size;
    if (size < 2) throw VideoError("an empty part");
    for (std::size_t i = 0; i + 2 < size; ++i)
        if (unit[i] == 0 && unit[i + 1] == 0 && unit[i + 2] < 3)
            throw VideoError("a part with bytes that it cannot have");
    return unit.first(size);
}

/// The bytes of a unit before zeros that only fill it, each pair with a byte of 3 behind it. Some encoders
/// leave a few bytes behind these.
Bytes before_filling(Bytes unit) {
    constexpr std::array<std::uint8_t, 6> filling{0, 0, 3, 0, 0, 3};
    constexpr std::size_t max_rest = 8, step = filling.size() / 2;
    for (std::size_t rest = 0; rest <= max_rest && rest + filling.size() < unit.size(); ++rest) {
        Bytes before = unit.first(unit.size() - rest);
        const auto ends_in = [&](std::size_t count) {
            return before.size() > count &&
                   std::equal(filling.begin(), filling.begin() + static_cast<std::ptrdiff_t>(count),
                              before.end() - static_cast<std::ptrdiff_t>(count));
        };
        if (!ends_in(filling.size())) continue;
        while (ends_in(step)) before = before.first(before.size() - step);
        return before;
    }
    return unit;
}

/// A part of a picture without the last bytes that a decoder reads.
Bytes without_end(Bytes unit) {
    constexpr std::size_t cut = 8;
    const Bytes read = before_filling(unit);
    return read.first(read.size() - std::min(cut, read.size() / 2));
}

enum class Ending { whole, cut };

/// A stream of the same NAL units behind start codes. Behind each part of a picture, FFmpeg would read zeros
/// for ever and make something of them; here stand ones, which end the part with the next block: what follows
/// is then missing. A decoder that has not lost its way reads neither.
std::vector<std::uint8_t> stream_of_units(Bytes data, Ending ending) {
    constexpr std::array<std::uint8_t, 4> start_code{0, 0, 0, 1};
    constexpr std::size_t ones = 2048;
    constexpr int first_that_is_no_picture = 32;
    std::vector<std::uint8_t> stream;
    stream.reserve(data.size() + 4 * ones);
    for (std::size_t at = 0; at < data.size();) {
        if (data.size() - at < 4) throw VideoError("truncated: it ends in the length of a part");
        const std::size_t length = std::size_t{data[at]} << 24 | std::size_t{data[at + 1]} << 16 |
                                   std::size_t{data[at + 2]} << 8 | data[at + 3];
        if (length > data.size() - at - 4) throw VideoError("truncated: it ends within a part");
        Bytes unit = checked_unit(data.subspan(at + 4, length));
        const bool is_picture = unit[0] >> 1 < first_that_is_no_picture;
        if (is_picture && ending == Ending::cut) unit = without_end(unit);
        stream.insert(stream.end(), start_code.begin(), start_code.end());
        stream.insert(stream.end(), unit.begin(), unit.end());
        if (is_picture) stream.insert(stream.end(), ones, std::uint8_t{0xff});
        at += 4 + length;
    }
    return stream;
}

PacketPointer packet_of(Bytes data) {
    constexpr std::size_t max_bytes = std::size_t{1} << 30;
    if (data.empty() || data.size() > max_bytes)
        throw VideoError("coded data of " + std::to_string(data.size()) + " bytes");
    PacketPointer packet = make_packet();
    if (av_new_packet(packet.get(), static_cast<int>(data.size())) < 0) throw std::bad_alloc();
    std::copy(data.begin(), data.end(), packet->data);
    return packet;
}

// --- decoding --------------------------------------------------------------------------------------

class StillDecoder {
  public:
    StillDecoder(StillCodec codec, std::int64_t max_pixels) {
        const AVCodecID id = codec == StillCodec::hevc ? AV_CODEC_ID_HEVC : AV_CODEC_ID_AV1;
        const AVCodec* const decoder = avcodec_find_decoder(id);
        if (decoder == nullptr)
            throw VideoError(std::string("no decoder for ") + avcodec_get_name(id) + " is there");
        context_.reset(avcodec_alloc_context3(decoder));
        if (!context_) throw std::bad_alloc();
        context_->thread_count = 1;
        context_->max_pixels = std::max<std::int64_t>(1, max_pixels);
        context_->err_recognition = AV_EF_CRCCHECK | AV_EF_EXPLODE;
        // All that is coded is looked at; the frame tells which part is displayed.
        context_->apply_cropping = codec == StillCodec::hevc ? 0 : 1;
        context_->flags |= AV_CODEC_FLAG_UNALIGNED;
        context_->opaque = &state_;
        if (codec == StillCodec::hevc) context_->get_buffer2 = take_filled_buffer;
        ffmpeg::silence();
        check(avcodec_open2(context_.get(), decoder, nullptr));
    }

    ffmpeg::FramePointer decode(const AVPacket& packet) {
        check(avcodec_send_packet(context_.get(), &packet));
        check(avcodec_send_packet(context_.get(), nullptr));
        ffmpeg::FramePointer frame = ffmpeg::make_frame();
        check(avcodec_receive_frame(context_.get(), frame.get()));
        const bool is_damaged = frame->decode_error_flags != 0 ||
                                (frame->flags & AV_FRAME_FLAG_CORRUPT) != 0 || state_.has_errors;
        if (is_damaged) fail();
        return frame;
    }

  private:
    static void check(int status) {
        if (status < 0) fail();
    }
    [[noreturn]] static void fail() {
        throw VideoError("its picture is damaged, or larger than its header says");
    }

    ffmpeg::DecoderState state_;
    ffmpeg::CodecContextPointer context_;
};

bool is_same_picture(const AVFrame& a, const AVFrame& b) {
    if (a.format != b.format || a.width != b.width || a.height != b.height) return false;
    const AVPixFmtDescriptor& format = *av_pix_fmt_desc_get(static_cast<AVPixelFormat>(a.format));
    for (int i = 0; i < format.nb_components; ++i) {
        const int shift_x = i > 0 ? format.log2_chroma_w : 0, shift_y = i > 0 ? format.log2_chroma_h : 0;
        const auto bytes = static_cast<std::size_t>(a.width >> shift_x) * (format.comp[0].depth > 8 ? 2 : 1);
        for (int y = 0; y < a.height >> shift_y; ++y)
            if (std::memcmp(a.data[i] + std::ptrdiff_t{y} * a.linesize[i],
                            b.data[i] + std::ptrdiff_t{y} * b.linesize[i], bytes) != 0)
                return false;
    }
    return true;
}

/// A decoder that lost its way comes to the end of the picture before that of the data, and FFmpeg does not
/// mind. So the picture is decoded once more without the last bytes: they must make a difference.
void check_needs_end(Bytes data, std::int64_t max_pixels, const AVFrame& frame) {
    ffmpeg::FramePointer cut;
    try {
        cut =
            StillDecoder(StillCodec::hevc, max_pixels).decode(*packet_of(stream_of_units(data, Ending::cut)));
    } catch (const VideoError&) {
        return;
    }
    if (is_same_picture(*cut, frame)) throw VideoError("its coded data go on behind its picture");
}

int shifted(int size, int shift) {
    return (size + (1 << shift) - 1) >> shift;
}

/// The number that a file stated, which FFmpeg keeps in an enumeration that may not have it.
template <class Enumeration>
int number_in(const Enumeration& value) {
    int number = 0;
    static_assert(sizeof(value) == sizeof(number));
    std::memcpy(&number, &value, sizeof(number));
    return number;
}

StillPicture picture_of(ffmpeg::FramePointer frame) {
    const AVPixFmtDescriptor* const format = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame->format));
    constexpr std::uint64_t not_read = AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_HWACCEL |
                                       AV_PIX_FMT_FLAG_BE | AV_PIX_FMT_FLAG_FLOAT | AV_PIX_FMT_FLAG_PAL;
    if (format == nullptr || (format->flags & not_read) != 0 || format->comp[0].depth > 16 ||
        (format->nb_components != 1 && format->nb_components != 3))
        throw VideoError("pictures of its pixel format are not read");
    StillPicture picture;
    const int left = static_cast<int>(frame->crop_left), top = static_cast<int>(frame->crop_top);
    picture.width = frame->width - left - static_cast<int>(frame->crop_right);
    picture.height = frame->height - top - static_cast<int>(frame->crop_bottom);
    picture.bits = format->comp[0].depth;
    picture.plane_count = format->nb_components;
    picture.chroma_shift_x = format->log2_chroma_w;
    picture.chroma_shift_y = format->log2_chroma_h;
    for (int i = 0; i < picture.plane_count; ++i) {
        const bool is_chroma = i > 0;
        const int shift_x = is_chroma ? picture.chroma_shift_x : 0;
        const int shift_y = is_chroma ? picture.chroma_shift_y : 0;
        StillPicture::Plane& plane = picture.planes[static_cast<std::size_t>(i)];
        // If the three are red, green and blue, FFmpeg's planes are in the order of the code: green, which
        // stands for luma, blue and red.
        plane.stride_bytes = frame->linesize[i];
        plane.data = frame->data[i] + std::ptrdiff_t{top >> shift_y} * plane.stride_bytes +
                     std::ptrdiff_t{left >> shift_x} * (picture.bits > 8 ? 2 : 1);
        plane.width = shifted(picture.width, shift_x);
        plane.height = shifted(picture.height, shift_y);
    }
    picture.primaries = number_in(frame->color_primaries);
    picture.transfer = number_in(frame->color_trc);
    picture.matrix = number_in(frame->colorspace);
    picture.is_full_range = frame->color_range == AVCOL_RANGE_JPEG;
    picture.owner = std::shared_ptr<const AVFrame>(
        frame.release(), [](const AVFrame* owned) { ffmpeg::FrameDeleter()(const_cast<AVFrame*>(owned)); });
    return picture;
}

}  // namespace

StillPicture decode_still_picture(StillCodec codec, Bytes data, std::int64_t max_pixels) {
    check_end(data);
    if (codec == StillCodec::av1) return picture_of(StillDecoder(codec, max_pixels).decode(*packet_of(data)));
    ffmpeg::FramePointer frame =
        StillDecoder(codec, max_pixels).decode(*packet_of(stream_of_units(data, Ending::whole)));
    check_is_covered(*frame);
    check_needs_end(data, max_pixels, *frame);
    return picture_of(std::move(frame));
}

}  // namespace fovea
