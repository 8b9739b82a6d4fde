#include "lib/video/video_decoder.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
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
#include "lib/video/field_pictures.hpp"
#include "lib/video/video_error.hpp"

namespace fovea {
namespace {

// Frames that a decoder holds besides those that its threads work on: references and those that wait for
// display.
constexpr int reference_frames = 20;

// A pixel has 8 bits or more; as a rule 12: YUV 4:2:0.
constexpr int min_bits = 8, usual_bits = 12;

std::size_t bytes_of_frames(std::int64_t pixels, int bits, int threads) {
    return static_cast<std::size_t>(pixels) * static_cast<std::size_t>(std::max(min_bits, bits)) / 8 *
           static_cast<std::size_t>(reference_frames + threads);
}

std::int64_t pixels_of(int width, int height) {
    return std::int64_t{width} * height;
}

int bits_of(int pixel_format) {
    const AVPixFmtDescriptor* const format = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(pixel_format));
    return format == nullptr ? usual_bits : av_get_padded_bits_per_pixel(format);
}

// If damage leaves out a part of a frame without an error, threads of FFmpeg's MPEG-4 and HEVC show there
// what each has kept of the frame that it decoded before. Threads of VP8 read a damaged frame's references
// before these are complete. Frames of the codecs here come out the same from any number of threads, up to
// the first error.
bool do_threads_agree(AVCodecID codec) {
    switch (codec) {
        case AV_CODEC_ID_H264:
        case AV_CODEC_ID_VP9:
        case AV_CODEC_ID_AV1:
            return true;
        default: {
            const AVCodecDescriptor* const codec_kind = avcodec_descriptor_get(codec);
            return codec_kind != nullptr && (codec_kind->props & AV_CODEC_PROP_INTRA_ONLY) != 0;
        }
    }
}

int threads_within(const AVCodecParameters& parameters, const DecoderOptions& options) {
    if (!do_threads_agree(parameters.codec_id)) return 1;
    int threads = std::max(1, options.threads);
    const std::size_t limit = options.limits.max_bytes;
    if (limit == 0) return threads;
    const std::int64_t pixels = pixels_of(parameters.width, parameters.height);
    const int bits = bits_of(parameters.format);
    while (threads > 1 && bytes_of_frames(pixels, bits, threads) > limit) --threads;
    return threads;
}

std::int64_t max_pixels_within(const VideoLimits& limits, int threads) {
    const std::int64_t pixels = std::max<std::int64_t>(1, limits.max_pixels);
    if (limits.max_bytes == 0) return pixels;
    const std::size_t bytes_of_one = bytes_of_frames(1, min_bits, threads);
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(limits.max_bytes / bytes_of_one), 1, pixels);
}

std::string why_refused(const ffmpeg::LargeFrame& frame, const VideoLimits& limits) {
    const std::int64_t pixels = pixels_of(frame.width, frame.height);
    if (pixels > limits.max_pixels) {
        return "it has " + std::to_string(frame.width) + "x" + std::to_string(frame.height) +
               " pixels, more than are allowed; see --max-megapixels";
    }
    constexpr std::size_t mebibyte = 1 << 20;
    const std::size_t needed = bytes_of_frames(pixels, frame.bits, 1);
    return "needs " + std::to_string((needed + mebibyte - 1) / mebibyte) +
           " MiB while it is decoded, more than the memory limit allows; raise --memory-limit";
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
        : orientation_(options.orientation),
          pixel_(options.pixel),
          limits_(options.limits),
          frame_(ffmpeg::make_frame()) {
        const AVCodec* const codec = avcodec_find_decoder(parameters.codec_id);
        if (codec == nullptr) {
            throw VideoError(std::string("no decoder for ") + avcodec_get_name(parameters.codec_id) +
                             " is there");
        }
        context_.reset(avcodec_alloc_context3(codec));
        if (!context_) throw std::bad_alloc();
        check(avcodec_parameters_to_context(context_.get(), &parameters));
        bits_ = bits_of(parameters.format);
        state_.threads = context_->thread_count = threads_within(parameters, options);
        state_.max_bytes = limits_.max_bytes;
        // Threads that share a frame's slices make up for damage in other ways than one thread does.
        context_->thread_type = FF_THREAD_FRAME;
        context_->max_pixels = max_pixels_within(limits_, state_.threads);
        if (limits_.max_bytes > 0) sizes_.emplace(parameters);
        // The exact part of the picture that is to be displayed, wherever it begins.
        context_->flags |= AV_CODEC_FLAG_UNALIGNED;
        ffmpeg::silence();
        context_->opaque = &state_;
        context_->get_buffer2 = take_black_buffer;
        open(*codec);
    }

    void send(const AVPacket* packet) {
        is_used_ = true;
        note_packet_with_errors();
        if (packet != nullptr) {
            ++packet_number_;
            packet_stamp_ = packet->pts;
            if (is_too_large(*packet)) return;
        }
        context_->reordered_opaque = packet_number_;
        const int status = avcodec_send_packet(context_.get(), packet);
        throw_if_memory_is_short(status);
        if (status < 0 && status != AVERROR_EOF) state_.has_errors = true;
    }

    bool receive() {
        refusal_.clear();
        if (is_held_) {
            is_held_ = give_refused(frame_->reordered_opaque);
            return true;
        }
        for (;;) {
            const int status = avcodec_receive_frame(context_.get(), frame_.get());
            throw_if_memory_is_short(status);
            if (status == AVERROR(EAGAIN) || status == AVERROR_EOF) {
                note_packet_with_errors();
                return status == AVERROR_EOF && give_refused(packet_number_ + 1);
            }
            if (status >= 0) {
                note_damage();
                const std::int64_t packet = frame_->reordered_opaque;
                std::erase_if(refused_,
                              [&](const RefusedFrame& refused) { return refused.packet == packet; });
                is_held_ = give_refused(packet);
                if (packet > large_packet_) large_.reset();
                return true;
            }
            // The error of an earlier packet comes here if there are several threads.
            state_.has_errors = true;
        }
    }

    GreyFrame grey() const {
        throw_if_refused();
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

    ColourFrame colours() const {
        throw_if_refused();
        return colours_of(*frame_, pixel_, orientation_);
    }

    std::optional<std::int64_t> time_stamp() const {
        const std::int64_t stamp = refusal_.empty() ? frame_->best_effort_timestamp : refused_stamp_;
        if (stamp == AV_NOPTS_VALUE) return std::nullopt;
        return stamp;
    }

    void restart() {
        avcodec_flush_buffers(context_.get());
        state_.has_errors = false;
        state_.take_refused();
        is_used_again_ = is_used_;
        is_held_ = false;
        large_.reset();
        damaged_.clear();
        refused_.clear();
    }
    bool is_in_doubt() const { return state_.has_errors && (context_->thread_count > 1 || is_used_again_); }

  private:
    // FFmpeg opens none for frames beyond max_pixels. Smaller ones may follow, if packets tell their sizes.
    void open(const AVCodec& codec) {
        const ffmpeg::LargeFrame first{context_->width, context_->height, bits_};
        const bool is_large = pixels_of(first.width, first.height) > context_->max_pixels;
        if (is_large) context_->width = context_->height = context_->coded_width = context_->coded_height = 0;
        const int status = avcodec_open2(context_.get(), &codec, nullptr);
        if (is_large && status < 0) throw VideoError(why_refused(first, limits_));
        check(status);
    }

    // Decoders leave out what they cannot decode: nothing of another frame may show there.
    static int take_black_buffer(AVCodecContext* context, AVFrame* frame, int flags) {
        auto& state = *static_cast<ffmpeg::DecoderState*>(context->opaque);
        const int bits = bits_of(frame->format);
        if (state.max_bytes > 0 &&
            bytes_of_frames(pixels_of(frame->width, frame->height), bits, state.threads) > state.max_bytes) {
            state.refuse({frame->width, frame->height, bits});
            return AVERROR(EINVAL);
        }
        const int status = avcodec_default_get_buffer2(context, frame, flags);
        if (status == AVERROR(ENOMEM)) state.lacks_memory = true;
        if (status < 0) return status;
        for (const AVBufferRef* buffer : frame->buf) {
            if (buffer != nullptr) std::memset(buffer->data, 0, buffer->size);
        }
        return status;
    }

    // The tables for a frame take memory in each thread, before a decoder asks for the frame.
    bool is_too_large(const AVPacket& packet) {
        const std::optional<Size> size = sizes_ ? sizes_->size_of(packet) : std::nullopt;
        if (!size || pixels_of(size->width, size->height) <= context_->max_pixels) return false;
        state_.refuse({size->width, size->height, 0});
        return true;
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
    // sent last, and so in the frame that has its number.
    bool is_alone() const { return context_->thread_count == 1 && !is_used_again_; }

    void note_packet_with_errors() {
        if (!is_alone() || !state_.has_errors.exchange(false)) return;
        if (const std::optional<ffmpeg::LargeFrame> refused = state_.take_refused()) {
            large_ = refused;
            large_packet_ = packet_number_;
        }
        damaged_.insert(packet_number_);
        // A decoder says once that frames are too large; those that follow give errors.
        if (large_) refused_.push_back({packet_stamp_, packet_number_, *large_});
    }

    // A refused frame comes before those of later packets, which are displayed later where the size changes.
    bool give_refused(std::int64_t before_packet) {
        auto first = refused_.end();
        for (auto refused = refused_.begin(); refused != refused_.end(); ++refused) {
            if (refused->packet >= before_packet || refused - refused_.begin() > reference_frames) break;
            if (first == refused_.end() || refused->stamp < first->stamp) first = refused;
        }
        if (first == refused_.end()) return false;
        refused_stamp_ = first->stamp;
        if (first->frame.bits == 0) first->frame.bits = bits_;
        refusal_ = why_refused(first->frame, limits_);
        refused_.erase(first);
        return true;
    }

    void throw_if_refused() const {
        if (!refusal_.empty()) throw VideoError(refusal_);
    }

    void note_damage() {
        note_packet_with_errors();
        is_damaged_ = frame_->decode_error_flags != 0 || (frame_->flags & AV_FRAME_FLAG_CORRUPT) != 0 ||
                      damaged_.contains(frame_->reordered_opaque);
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

    struct RefusedFrame {
        std::int64_t stamp = AV_NOPTS_VALUE;
        std::int64_t packet = 0;  // its number
        ffmpeg::LargeFrame frame;
    };

    int orientation_;
    PixelShape pixel_;
    const VideoLimits limits_;
    ffmpeg::DecoderState state_;
    std::optional<PictureSizes> sizes_;
    int bits_ = 0;                                // of a pixel, by the container
    bool is_damaged_ = false;                     // the frame received
    std::int64_t packet_number_ = 0;              // of the packet that was sent last
    std::int64_t packet_stamp_ = AV_NOPTS_VALUE;  // of that packet
    std::set<std::int64_t> damaged_;              // numbers of packets with errors
    std::deque<RefusedFrame> refused_;            // that are not given yet
    std::optional<ffmpeg::LargeFrame> large_;  // the frame that was refused last; nothing once one is decoded
    std::string refusal_;                      // of the frame received; empty: it was decoded
    std::int64_t refused_stamp_ = AV_NOPTS_VALUE;  // of that frame
    std::int64_t large_packet_ = 0;                // its packet
    bool is_held_ = false;                         // a decoded frame comes behind the refused one
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
