#include "tests/support/video/video_maker.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "tests/support/video/libav.hpp"

/// The encoder of HEVC loses some memory of its own.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
    return "leak:libx265.so\n";
}

namespace fovea::test {
namespace {

using libav::check;

void set_options(void* object, const VideoPlan::Options& options) {
    for (const auto& [name, value] : options)
        check(av_opt_set(object, name.c_str(), value.c_str(), AV_OPT_SEARCH_CHILDREN),
              "option " + name + "=" + value);
}

/// A plane of `bits` bits; samples of more than 8 are two bytes, least first.
void fill_plane(AVFrame& frame, int plane, int bits, int width, int height,
                const std::function<int(int x, int y)>& sample) {
    for (int y = 0; y < height; ++y) {
        std::uint8_t* const row = frame.data[plane] + std::ptrdiff_t{y} * frame.linesize[plane];
        for (int x = 0; x < width; ++x) {
            const int value = sample(x, y) << (bits - 8);
            if (bits == 8) {
                row[x] = static_cast<std::uint8_t>(value);
            } else {
                row[2 * x] = static_cast<std::uint8_t>(value);
                row[2 * x + 1] = static_cast<std::uint8_t>(value >> 8);
            }
        }
    }
}

void fill(AVFrame& frame, int number) {
    const auto format = static_cast<AVPixelFormat>(frame.format);
    const AVPixFmtDescriptor& layout = *av_pix_fmt_desc_get(format);
    if ((layout.flags & AV_PIX_FMT_FLAG_RGB) != 0) {
        // Packed: a byte a channel, each of them another pattern.
        const int step = layout.comp[0].step;
        fill_plane(frame, 0, 8, frame.width * step, frame.height,
                   [&](int x, int y) { return pattern_at(x / step, y + 11 * (x % step), number); });
        return;
    }
    const int bits = layout.comp[0].depth;
    fill_plane(frame, 0, bits, frame.width, frame.height,
               [&](int x, int y) { return pattern_at(x, y, number); });
    const auto shifted = [](int size, int shift) { return (size + (1 << shift) - 1) >> shift; };
    for (int plane = 1; plane < std::min<int>(layout.nb_components, 3); ++plane)
        fill_plane(frame, plane, bits, shifted(frame.width, layout.log2_chroma_w),
                   shifted(frame.height, layout.log2_chroma_h), [](int, int) { return 128; });
}

/// The file that streams are written to.
class Muxer {
  public:
    Muxer(const std::filesystem::path& file, const ContainerPlan& plan) {
        check(avformat_alloc_output_context2(&context_, nullptr,
                                             plan.muxer.empty() ? nullptr : plan.muxer.c_str(), file.c_str()),
              "muxer of " + file.string());
        set_options(context_, plan.options);
        check(avio_open(&context_->pb, file.c_str(), AVIO_FLAG_WRITE), "opening " + file.string());
    }
    ~Muxer() {
        avio_closep(&context_->pb);
        avformat_free_context(context_);
    }
    Muxer(const Muxer&) = delete;
    Muxer& operator=(const Muxer&) = delete;

    AVStream& add_stream() {
        AVStream* const stream = avformat_new_stream(context_, nullptr);
        if (stream == nullptr) throw std::bad_alloc();
        return *stream;
    }
    bool wants_global_header() const { return (context_->oformat->flags & AVFMT_GLOBALHEADER) != 0; }
    void begin() { check(avformat_write_header(context_, nullptr), "header"); }
    void write(AVPacket& packet) { check(av_interleaved_write_frame(context_, &packet), "packet"); }
    void end() { check(av_write_trailer(context_), "trailer"); }

  private:
    AVFormatContext* context_ = nullptr;
};

/// Encodes one stream.
class Stream {
  public:
    Stream(const VideoPlan& plan, Muxer& muxer)
        : plan_(plan),
          muxer_(muxer),
          stream_(muxer.add_stream()),
          frame_(av_frame_alloc()),
          packet_(av_packet_alloc()),
          width_(plan.width),
          height_(plan.height) {
        if (plan_.has_two_passes) run_first_pass();
        open(plan_.has_two_passes ? AV_CODEC_FLAG_PASS2 : 0);
        check(avcodec_parameters_from_context(stream_.codecpar, codec_.get()), "parameters");
        stream_.time_base = codec_->time_base;
        stream_.avg_frame_rate = codec_->framerate;
        stream_.sample_aspect_ratio = codec_->sample_aspect_ratio;
        if (plan_.matrix) add_matrix();
    }

    /// Encodes the next frame, or, at the end, what is left; false at the end.
    bool step() {
        if (next_ == plan_.frames) {
            send(nullptr);
            return false;
        }
        if (plan_.resized_from > 0 && next_ == plan_.resized_from) resize();
        paint(next_++);
        send(frame_.get());
        return true;
    }

  private:
    /// Leaves the statistics for the second pass: libvpx gives them at the end, all at once.
    void run_first_pass() {
        open(AV_CODEC_FLAG_PASS1);
        for (int number = 0; number < plan_.frames; ++number) {
            paint(number);
            check(avcodec_send_frame(codec_.get(), frame_.get()), "first pass");
            drop_packets();
        }
        check(avcodec_send_frame(codec_.get(), nullptr), "first pass");
        drop_packets();
        if (codec_->stats_out == nullptr) throw std::runtime_error(plan_.encoder + " has no two passes");
        statistics_ = codec_->stats_out;
        frame_.reset(av_frame_alloc());
    }

    /// A new encoder goes on in the same stream.
    void resize() {
        send(nullptr);
        width_ = plan_.resized_width;
        height_ = plan_.resized_height;
        frame_.reset(av_frame_alloc());
        open(0);
    }

    void drop_packets() {
        while (avcodec_receive_packet(codec_.get(), packet_.get()) >= 0) av_packet_unref(packet_.get());
    }

    void paint(int number) {
        check(av_frame_make_writable(frame_.get()), "frame");
        fill(*frame_, number);
        frame_->pts = plan_.times_ms.empty() ? number : plan_.times_ms.at(static_cast<std::size_t>(number));
    }

    void open(int pass) {
        const AVCodec* const encoder = avcodec_find_encoder_by_name(plan_.encoder.c_str());
        if (encoder == nullptr) throw std::runtime_error("there is no encoder " + plan_.encoder);
        codec_.reset(avcodec_alloc_context3(encoder));
        codec_->width = width_;
        codec_->height = height_;
        codec_->sample_aspect_ratio = {plan_.sample_aspect[0], plan_.sample_aspect[1]};
        codec_->pix_fmt = av_get_pix_fmt(plan_.pixel_format.c_str());
        codec_->color_range = plan_.is_full_range ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
        codec_->framerate = {plan_.frames_per_second, 1};
        codec_->time_base =
            plan_.times_ms.empty() ? AVRational{1, plan_.frames_per_second} : AVRational{1, 1000};
        codec_->gop_size = plan_.gop;
        codec_->max_b_frames = plan_.b_frames;
        codec_->thread_count = 1;
        codec_->strict_std_compliance = FF_COMPLIANCE_UNOFFICIAL;
        codec_->flags |= AV_CODEC_FLAG_BITEXACT | pass;
        if (pass == AV_CODEC_FLAG_PASS2) codec_->stats_in = statistics_.data();
        if (plan_.is_interlaced) codec_->flags |= AV_CODEC_FLAG_INTERLACED_DCT | AV_CODEC_FLAG_INTERLACED_ME;
        if (muxer_.wants_global_header()) codec_->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
        set_options(codec_.get(), plan_.options);
        check(avcodec_open2(codec_.get(), encoder, nullptr), "opening " + plan_.encoder);
        frame_->width = width_;
        frame_->height = height_;
        frame_->sample_aspect_ratio = codec_->sample_aspect_ratio;
        frame_->format = codec_->pix_fmt;
        frame_->interlaced_frame = plan_.is_interlaced;
        frame_->top_field_first = plan_.is_interlaced;
        check(av_frame_get_buffer(frame_.get(), 0), "frame");
    }

    void add_matrix() {
        constexpr std::size_t bytes = 9 * sizeof(std::int32_t);
        std::uint8_t* const data = av_stream_new_side_data(&stream_, AV_PKT_DATA_DISPLAYMATRIX, bytes);
        if (data == nullptr) throw std::bad_alloc();
        std::memcpy(data, plan_.matrix->data(), bytes);
    }

    void send(const AVFrame* frame) {
        check(avcodec_send_frame(codec_.get(), frame), "encoding");
        for (;;) {
            const int status = avcodec_receive_packet(codec_.get(), packet_.get());
            if (status == AVERROR(EAGAIN) || status == AVERROR_EOF) return;
            check(status, "encoding");
            const int number = packets_++;
            if (plan_.keeps_packet && !plan_.keeps_packet(number)) continue;
            packet_->stream_index = stream_.index;
            av_packet_rescale_ts(packet_.get(), codec_->time_base, stream_.time_base);
            if (packet_->duration == 0 && plan_.times_ms.empty())
                packet_->duration = av_rescale_q(1, codec_->time_base, stream_.time_base);
            muxer_.write(*packet_);
        }
    }

    const VideoPlan& plan_;
    Muxer& muxer_;
    AVStream& stream_;
    libav::Frame frame_;
    libav::Packet packet_;
    std::string statistics_;  // of the first pass
    libav::Codec codec_;
    int width_, height_;
    int next_ = 0;
    int packets_ = 0;
};

/// Encodes one stream of sound.
class Sound {
  public:
    Sound(const SoundPlan& plan, Muxer& muxer)
        : plan_(plan),
          muxer_(muxer),
          stream_(muxer.add_stream()),
          frame_(av_frame_alloc()),
          packet_(av_packet_alloc()) {
        const AVCodec* const encoder = avcodec_find_encoder_by_name(plan.encoder.c_str());
        if (encoder == nullptr) throw std::runtime_error("there is no encoder " + plan.encoder);
        codec_.reset(avcodec_alloc_context3(encoder));
        codec_->sample_rate = rate;
        codec_->sample_fmt = encoder->sample_fmts[0];
        codec_->time_base = {1, rate};
        codec_->strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL;
        av_channel_layout_default(&codec_->ch_layout, plan.channels);
        if (muxer.wants_global_header()) codec_->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
        check(avcodec_open2(codec_.get(), encoder, nullptr), "opening " + plan.encoder);
        check(avcodec_parameters_from_context(stream_.codecpar, codec_.get()), "parameters");
        stream_.time_base = codec_->time_base;
        if (!plan.language.empty()) av_dict_set(&stream_.metadata, "language", plan.language.c_str(), 0);
    }

    void write() {
        const int length = codec_->frame_size > 0 ? codec_->frame_size : 1024;
        const auto end = static_cast<std::int64_t>(plan_.to_seconds * rate);
        for (auto at = static_cast<std::int64_t>(plan_.from_seconds * rate); at + length <= end;
             at += length) {
            av_frame_unref(frame_.get());
            frame_->nb_samples = length;
            frame_->format = codec_->sample_fmt;
            frame_->sample_rate = rate;
            check(av_channel_layout_copy(&frame_->ch_layout, &codec_->ch_layout), "channels");
            check(av_frame_get_buffer(frame_.get(), 0), "sound");
            fill(at);
            frame_->pts = at;
            send(frame_.get());
        }
        send(nullptr);
    }

  private:
    void fill(std::int64_t from) {
        const bool is_planar = av_sample_fmt_is_planar(codec_->sample_fmt) != 0;
        const int planes = is_planar ? plan_.channels : 1, step = is_planar ? 1 : plan_.channels;
        for (int plane = 0; plane < planes; ++plane) {
            for (int i = 0; i < frame_->nb_samples * step; ++i) {
                const double t = static_cast<double>(from + i / step) / rate;
                put(frame_->data[plane], i, 0.4 * std::sin(6.283185307179586 * (300 + 200 * t) * t));
            }
        }
    }
    void put(std::uint8_t* plane, int i, double value) const {
        switch (av_get_packed_sample_fmt(codec_->sample_fmt)) {
            case AV_SAMPLE_FMT_FLT:
                reinterpret_cast<float*>(plane)[i] = static_cast<float>(value);
                break;
            case AV_SAMPLE_FMT_S16:
                reinterpret_cast<std::int16_t*>(plane)[i] = static_cast<std::int16_t>(32767 * value);
                break;
            case AV_SAMPLE_FMT_S32:
                reinterpret_cast<std::int32_t*>(plane)[i] = static_cast<std::int32_t>(2147483647 * value);
                break;
            default:
                throw std::runtime_error(plan_.encoder + " wants other samples");
        }
    }
    void send(const AVFrame* frame) {
        check(avcodec_send_frame(codec_.get(), frame), "encoding sound");
        for (;;) {
            const int status = avcodec_receive_packet(codec_.get(), packet_.get());
            if (status == AVERROR(EAGAIN) || status == AVERROR_EOF) return;
            check(status, "encoding sound");
            packet_->stream_index = stream_.index;
            av_packet_rescale_ts(packet_.get(), codec_->time_base, stream_.time_base);
            muxer_.write(*packet_);
        }
    }

    static constexpr int rate = 48000;
    const SoundPlan& plan_;
    Muxer& muxer_;
    AVStream& stream_;
    libav::Frame frame_;
    libav::Packet packet_;
    libav::Codec codec_;
};

/// Silence of 8000 samples a second: it needs no encoder.
class Silence {
  public:
    explicit Silence(Muxer& muxer) : muxer_(muxer), stream_(muxer.add_stream()), packet_(av_packet_alloc()) {
        AVCodecParameters& parameters = *stream_.codecpar;
        parameters.codec_type = AVMEDIA_TYPE_AUDIO;
        parameters.codec_id = AV_CODEC_ID_PCM_S16LE;
        parameters.sample_rate = rate;
        parameters.bits_per_coded_sample = 16;
        parameters.block_align = 2;
        av_channel_layout_default(&parameters.ch_layout, 1);
        stream_.time_base = {1, rate};
    }

    void write(int blocks) {
        constexpr int samples = 800;
        for (int i = 0; i < blocks; ++i) {
            check(av_new_packet(packet_.get(), 2 * samples), "audio");
            std::memset(packet_->data, 0, static_cast<std::size_t>(packet_->size));
            packet_->stream_index = stream_.index;
            packet_->pts = packet_->dts = av_rescale_q(i * samples, {1, rate}, stream_.time_base);
            packet_->duration = av_rescale_q(samples, {1, rate}, stream_.time_base);
            packet_->flags |= AV_PKT_FLAG_KEY;
            muxer_.write(*packet_);
        }
    }

  private:
    static constexpr int rate = 8000;
    Muxer& muxer_;
    AVStream& stream_;
    libav::Packet packet_;
};

}  // namespace

int pattern_at(int x, int y, int frame) {
    // A bar that runs through, on a slope that rises and falls, and a corner that counts.
    if (x < 8 && y < 8) return 30 + frame * 37 % 190;
    if ((x + 3 * frame) % 48 < 7) return 225;
    const int slope = (2 * x + 3 * y + 5 * frame) % 240;
    return 30 + (slope < 120 ? slope : 240 - slope);
}

bool has_encoder(const std::string& name) {
    return avcodec_find_encoder_by_name(name.c_str()) != nullptr;
}

void make_video(const std::filesystem::path& file, const std::vector<VideoPlan>& streams,
                const ContainerPlan& container) {
    av_log_set_level(AV_LOG_QUIET);
    Muxer muxer(file, container);
    std::vector<std::unique_ptr<Stream>> made;
    for (const VideoPlan& plan : streams) made.push_back(std::make_unique<Stream>(plan, muxer));
    std::optional<Silence> silence;
    if (container.has_audio) silence.emplace(muxer);
    std::vector<std::unique_ptr<Sound>> sounds;
    for (const SoundPlan& plan : container.sound) sounds.push_back(std::make_unique<Sound>(plan, muxer));
    muxer.begin();
    if (silence) silence->write(streams.front().frames * 10 / streams.front().frames_per_second);
    for (const auto& sound : sounds) sound->write();
    std::vector<bool> is_done(made.size());
    while (std::find(is_done.begin(), is_done.end(), false) != is_done.end()) {
        for (std::size_t i = 0; i < made.size(); ++i) {
            if (!is_done[i]) is_done[i] = !made[i]->step();
        }
    }
    muxer.end();
}

}  // namespace fovea::test
