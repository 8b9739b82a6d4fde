#include "lib/video/video_decoder.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <set>
#include <string>
#include <utility>

#include "kernels/luma/grey.hpp"
#include "kernels/luma/luma.hpp"
#include "kernels/orient/orient.hpp"
#include "kernels/orient/orient_body.hpp"
#include "lib/core/text.hpp"
#include "lib/video/decoded_colours.hpp"
#include "lib/video/ffmpeg.hpp"
#include "lib/video/video_error.hpp"

namespace fovea {
namespace {

// Frames that a decoder holds besides those that its threads work on: references and those that wait for
// display.
constexpr int reference_frames = 20;

std::size_t bytes_of_frames(const AVCodecParameters& parameters, int threads) {
    const auto pixels =
        static_cast<std::size_t>(parameters.width) * static_cast<std::size_t>(parameters.height);
    const AVPixFmtDescriptor* const format =
        av_pix_fmt_desc_get(static_cast<AVPixelFormat>(parameters.format));
    const int bits = format == nullptr ? 24 : av_get_padded_bits_per_pixel(format);
    return pixels * static_cast<std::size_t>(std::max(8, bits)) / 8 *
           static_cast<std::size_t>(reference_frames + threads);
}

int threads_within(const AVCodecParameters& parameters, const DecoderOptions& options) {
    int threads = std::max(1, options.threads);
    const std::size_t limit = options.limits.max_bytes;
    if (limit == 0) return threads;
    while (threads > 1 && bytes_of_frames(parameters, threads) > limit) --threads;
    if (const std::size_t needed = bytes_of_frames(parameters, threads); needed > limit) {
        throw VideoError("its decoder needs " + std::to_string(needed >> 20) +
                         " MiB, more than the memory limit allows; raise --memory-limit");
    }
    return threads;
}

[[noreturn]] void throw_unknown_pixels(const AVFrame& frame) {
    const char* const name = av_get_pix_fmt_name(static_cast<AVPixelFormat>(frame.format));
    throw VideoError(std::string("frames of the pixel format ") + (name == nullptr ? "(unknown)" : name) +
                     " are not read");
}

bool is_full_range(const AVFrame& frame, const AVPixFmtDescriptor& format) {
    switch (frame.format) {
        case AV_PIX_FMT_YUVJ420P:
        case AV_PIX_FMT_YUVJ422P:
        case AV_PIX_FMT_YUVJ444P:
        case AV_PIX_FMT_YUVJ440P:
        case AV_PIX_FMT_YUVJ411P:
            return true;
        default:
            // Without a word about it, luma beside chroma is limited and grey alone is full, as FFmpeg has
            // it.
            return frame.color_range == AVCOL_RANGE_JPEG ||
                   (frame.color_range == AVCOL_RANGE_UNSPECIFIED && format.nb_components <= 2);
    }
}

LumaPlane plane_of(const AVFrame& frame, const AVPixFmtDescriptor& format, int component) {
    const AVComponentDescriptor& place = format.comp[component];
    LumaPlane plane;
    plane.data = frame.data[place.plane] + place.offset;
    plane.width = frame.width;
    plane.height = frame.height;
    plane.stride_bytes = frame.linesize[place.plane];
    plane.step_bytes = place.step;
    plane.bits = place.depth;
    plane.shift = place.shift;
    return plane;
}

// The same numbers by which photographs of more than 8 bits become grey.
void grey_of_colours(const AVFrame& frame, const AVPixFmtDescriptor& format, std::uint8_t* to) {
    const LumaPlane r = plane_of(frame, format, 0), g = plane_of(frame, format, 1),
                    b = plane_of(frame, format, 2);
    const std::uint32_t maximum = (1U << r.bits) - 1;
    const auto channel = [&](const LumaPlane& plane, std::ptrdiff_t x, std::ptrdiff_t y) {
        const std::uint8_t* const from = plane.data + y * plane.stride_bytes + x * plane.step_bytes;
        const unsigned word = plane.bits + plane.shift <= 8 ? from[0] : from[0] | unsigned{from[1]} << 8;
        return byte_of_sample((word >> plane.shift) & maximum, maximum);
    };
    for (int y = 0; y < frame.height; ++y) {
        for (int x = 0; x < frame.width; ++x)
            *to++ = grey_of_rgb(channel(r, x, y), channel(g, x, y), channel(b, x, y));
    }
}

void grey_of_palette(const AVFrame& frame, std::uint8_t* to) {
    for (int y = 0; y < frame.height; ++y) {
        const std::uint8_t* const row = frame.data[0] + std::ptrdiff_t{y} * frame.linesize[0];
        for (int x = 0; x < frame.width; ++x) {
            const std::uint8_t* const entry = frame.data[1] + std::ptrdiff_t{4} * row[x];  // 0xAARRGGBB
            *to++ = grey_of_rgb(entry[2], entry[1], entry[0]);
        }
    }
}

void make_grey(const AVFrame& frame, std::vector<std::uint8_t>& pixels) {
    const AVPixFmtDescriptor* const format = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
    if (format == nullptr) throw_unknown_pixels(frame);
    constexpr std::uint64_t not_read = AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_HWACCEL |
                                       AV_PIX_FMT_FLAG_BE | AV_PIX_FMT_FLAG_FLOAT | AV_PIX_FMT_FLAG_BAYER;
    const int bits = format->comp[0].depth;
    if ((format->flags & not_read) != 0 || bits > 16 || format->nb_components < 1)
        throw_unknown_pixels(frame);
    pixels.resize(static_cast<std::size_t>(frame.width) * static_cast<std::size_t>(frame.height));
    if ((format->flags & AV_PIX_FMT_FLAG_PAL) != 0) {
        grey_of_palette(frame, pixels.data());
    } else if ((format->flags & AV_PIX_FMT_FLAG_RGB) != 0) {
        if (format->nb_components < 3) throw_unknown_pixels(frame);
        grey_of_colours(frame, *format, pixels.data());
    } else {
        if (bits < 8) throw_unknown_pixels(frame);
        LumaTask task{plane_of(frame, *format, 0), {pixels.data(), frame.width, frame.height, frame.width}};
        task.luma.is_full_range = is_full_range(frame, *format);
        luma_to_grey(Device::cpu(), {&task, 1});
    }
}

}  // namespace

class VideoDecoder::Implementation {
  public:
    Implementation(const AVCodecParameters& parameters, const DecoderOptions& options)
        : orientation_(options.orientation), pixel_(options.pixel), frame_(ffmpeg::make_frame()) {
        const AVCodec* const codec = avcodec_find_decoder(parameters.codec_id);
        if (codec == nullptr) {
            throw VideoError(std::string("no decoder for ") + avcodec_get_name(parameters.codec_id) +
                             " is there");
        }
        context_.reset(avcodec_alloc_context3(codec));
        if (!context_) throw std::bad_alloc();
        check(avcodec_parameters_to_context(context_.get(), &parameters));
        context_->thread_count = threads_within(parameters, options);
        context_->thread_type = FF_THREAD_FRAME | FF_THREAD_SLICE;
        context_->max_pixels = std::max<std::int64_t>(1, options.limits.max_pixels);
        // The exact part of the picture that is to be displayed, wherever it begins.
        context_->flags |= AV_CODEC_FLAG_UNALIGNED;
        ffmpeg::silence();
        context_->opaque = &state_;
        context_->get_buffer2 = take_black_buffer;
        check(avcodec_open2(context_.get(), codec, nullptr));
    }

    void send(const AVPacket* packet) {
        is_used_ = true;
        note_packet_with_errors();
        if (packet != nullptr) packet_stamp_ = packet->pts;
        const int status = avcodec_send_packet(context_.get(), packet);
        throw_if_memory_is_short(status);
        if (status < 0 && status != AVERROR_EOF) state_.has_errors = true;
    }

    bool receive() {
        for (;;) {
            const int status = avcodec_receive_frame(context_.get(), frame_.get());
            throw_if_memory_is_short(status);
            if (status == AVERROR(EAGAIN) || status == AVERROR_EOF) return false;
            if (status >= 0) {
                note_damage();
                return true;
            }
            // With several threads, the error of an earlier packet comes here.
            state_.has_errors = true;
        }
    }

    GreyFrame grey() const {
        GreyFrame grey;
        make_grey(*frame_, grey.pixels);
        grey.width = frame_->width;
        grey.height = frame_->height;
        stretch(grey);
        if (orientation_ != 1) turn(grey);
        const std::optional<std::int64_t> stamp = time_stamp();
        grey.has_time_stamp = stamp.has_value();
        grey.time_stamp = stamp.value_or(0);
        grey.is_damaged = is_damaged_;
        return grey;
    }

    ColourFrame colours() const { return colours_of(*frame_, pixel_, orientation_); }

    std::optional<std::int64_t> time_stamp() const {
        if (frame_->best_effort_timestamp == AV_NOPTS_VALUE) return std::nullopt;
        return frame_->best_effort_timestamp;
    }

    void restart() {
        avcodec_flush_buffers(context_.get());
        state_.has_errors = false;
        is_used_again_ = is_used_;
        damaged_.clear();
    }
    bool is_in_doubt() const { return state_.has_errors && (context_->thread_count > 1 || is_used_again_); }

  private:
    // Decoders leave out what they cannot decode: nothing of another frame may show there.
    static int take_black_buffer(AVCodecContext* context, AVFrame* frame, int flags) {
        const int status = avcodec_default_get_buffer2(context, frame, flags);
        if (status == AVERROR(ENOMEM))
            static_cast<ffmpeg::DecoderState*>(context->opaque)->lacks_memory = true;
        if (status < 0) return status;
        for (const AVBufferRef* buffer : frame->buf) {
            if (buffer != nullptr) std::memset(buffer->data, 0, buffer->size);
        }
        return status;
    }

    // A frame within the limits is not too much to ask for.
    void throw_if_memory_is_short(int status) const {
        if (state_.lacks_memory) throw std::bad_alloc();
        ffmpeg::throw_if_memory_is_short(status);
    }

    static void check(int status) {
        ffmpeg::throw_if_memory_is_short(status);
        if (status < 0) throw VideoError("its decoder cannot be opened (" + ffmpeg::error_text(status) + ")");
    }

    // One fresh decoder with one thread decodes packet after packet: an error lies in the packet that was
    // sent last, and so in the frame of its time stamp.
    bool is_alone() const { return context_->thread_count == 1 && !is_used_again_; }

    void note_packet_with_errors() {
        if (is_alone() && state_.has_errors.exchange(false)) damaged_.insert(packet_stamp_);
    }

    void note_damage() {
        note_packet_with_errors();
        is_damaged_ = frame_->decode_error_flags != 0 || (frame_->flags & AV_FRAME_FLAG_CORRUPT) != 0 ||
                      damaged_.contains(frame_->pts);
        if (is_damaged_ && !is_alone()) state_.has_errors = true;
    }

    void stretch(GreyFrame& grey) const {
        const Size size = squared_size(pixel_, {grey.width, grey.height});
        if (std::int64_t{size.width} * size.height > context_->max_pixels)
            throw VideoError("its frames have more pixels than are allowed; see --max-megapixels");
        grey.pixels = resized_plane(std::move(grey.pixels), {grey.width, grey.height}, size);
        grey.width = size.width;
    }

    void turn(GreyFrame& grey) const {
        const Size size = displayed_size(orient_rule(orientation_), {grey.width, grey.height});
        std::vector<std::uint8_t> turned(grey.pixels.size());
        orient_image(Device::cpu(), {grey.pixels.data(), grey.width, grey.height, grey.width}, orientation_,
                     {turned.data(), size.width, size.height, size.width});
        grey.pixels = std::move(turned);
        grey.width = size.width;
        grey.height = size.height;
    }

    int orientation_;
    PixelShape pixel_;
    ffmpeg::DecoderState state_;
    bool is_damaged_ = false;                     // the frame received
    std::int64_t packet_stamp_ = AV_NOPTS_VALUE;  // of the packet that was sent last
    std::set<std::int64_t> damaged_;              // stamps of packets with errors
    bool is_used_ = false;
    bool is_used_again_ = false;
    ffmpeg::FramePointer frame_;
    ffmpeg::CodecContextPointer context_;
};

VideoDecoder::VideoDecoder(const AVCodecParameters& parameters, const DecoderOptions& options)
    : implementation_(std::make_unique<Implementation>(parameters, options)) {}
VideoDecoder::~VideoDecoder() = default;
VideoDecoder::VideoDecoder(VideoDecoder&&) noexcept = default;
VideoDecoder& VideoDecoder::operator=(VideoDecoder&&) noexcept = default;

void VideoDecoder::send(const AVPacket* packet) {
    implementation_->send(packet);
}

bool VideoDecoder::receive() {
    return implementation_->receive();
}

GreyFrame VideoDecoder::grey() const {
    return implementation_->grey();
}

ColourFrame VideoDecoder::colours() const {
    return implementation_->colours();
}

std::optional<std::int64_t> VideoDecoder::time_stamp() const {
    return implementation_->time_stamp();
}

void VideoDecoder::restart() {
    implementation_->restart();
}

bool VideoDecoder::is_in_doubt() const {
    return implementation_->is_in_doubt();
}

}  // namespace fovea
