#include "lib/video/write/video_writer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <new>
#include <utility>

extern "C" {
#include <libavutil/opt.h>
}

#include "lib/core/error.hpp"
#include "lib/video/ffmpeg.hpp"
#include "lib/video/write/sound_reader.hpp"

namespace fovea {
namespace {

constexpr const char* software_encoder = "libx264";
constexpr const char* gpu_encoder = "h264_nvenc";

struct MuxerDeleter {
    void operator()(AVFormatContext* output) const {
        if (output->pb != nullptr) avio_closep(&output->pb);
        avformat_free_context(output);
    }
};

AVCodecContext* opened(const char* name, const VideoWriterOptions& options) {
    const AVCodec* const codec = avcodec_find_encoder_by_name(name);
    if (codec == nullptr) return nullptr;
    AVCodecContext* context = avcodec_alloc_context3(codec);
    if (context == nullptr) throw std::bad_alloc();
    context->width = options.width & ~1;
    context->height = options.height & ~1;
    context->pix_fmt = AV_PIX_FMT_YUV420P;
    context->color_range = options.is_full_range ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
    context->color_primaries = static_cast<AVColorPrimaries>(options.colours.primaries);
    context->color_trc = static_cast<AVColorTransferCharacteristic>(options.colours.transfer);
    context->colorspace = static_cast<AVColorSpace>(options.colours.matrix);
    context->sample_aspect_ratio = {options.pixel.width, options.pixel.height};
    context->time_base = {static_cast<int>(options.time_base_num), static_cast<int>(options.time_base_den)};
    // The encoder states a level by it, which a player may refuse.
    if (options.frames_per_second > 0) context->framerate = av_d2q(options.frames_per_second, 100'000);
    // MP4 and Matroska hold the parameters of the stream themselves.
    context->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    const std::string quality = std::to_string(options.quality);
    av_opt_set(context->priv_data, "crf", quality.c_str(), 0);  // libx264
    av_opt_set(context->priv_data, "cq", quality.c_str(), 0);   // NVENC
    if (avcodec_open2(context, codec, nullptr) >= 0) return context;
    avcodec_free_context(&context);
    return nullptr;
}

/// The display matrix of EXIF's orientations from 1 on: (a, b, c, d) of x' = a x + c y, y' = b x + d y.
constexpr std::array<std::array<int, 4>, 8> turns = {{{1, 0, 0, 1},
                                                      {-1, 0, 0, 1},
                                                      {-1, 0, 0, -1},
                                                      {1, 0, 0, -1},
                                                      {0, 1, 1, 0},
                                                      {0, 1, -1, 0},
                                                      {0, -1, -1, 0},
                                                      {0, -1, 1, 0}}};

void set_orientation(AVStream& stream, int orientation) {
    if (orientation <= 1 || orientation > static_cast<int>(turns.size())) return;
    constexpr std::int32_t one = 1 << 16, one_w = 1 << 30;
    constexpr std::size_t entries = 9;
    std::uint8_t* const data =
        av_stream_new_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, entries * sizeof(std::int32_t));
    if (data == nullptr) throw std::bad_alloc();
    const auto [a, b, c, d] = turns[static_cast<std::size_t>(orientation - 1)];
    const std::array<std::int32_t, entries> matrix{a * one, b * one, 0, c * one, d * one, 0, 0, 0, one_w};
    std::copy_n(reinterpret_cast<const std::uint8_t*>(matrix.data()), sizeof matrix, data);
}

void copy_tag(const AVStream& from, AVStream& to, const char* key) {
    if (const AVDictionaryEntry* const tag = av_dict_get(from.metadata, key, nullptr, 0))
        av_dict_set(&to.metadata, key, tag->value, 0);
}

[[noreturn]] void throw_no_encoder() {
    throw UsageError(
        "FFmpeg has no encoder for H.264 here, so that no annotated video can be written; install one that "
        "has "
        "libx264, or leave out --annotate");
}

}  // namespace

class VideoWriter::Implementation {
  public:
    Implementation(const std::filesystem::path& file, const VideoWriterOptions& options)
        : file_(file), options_(options), frame_(ffmpeg::make_frame()), packet_(make_packet()) {
        constexpr std::int64_t largest = std::numeric_limits<int>::max();
        if (options.width < 2 || options.height < 2)
            throw Error("'" + file.string() + "' cannot be written: its frames are smaller than 2x2 pixels");
        if (options.time_base_num > largest || options.time_base_den > largest)
            throw Error("'" + file.string() + "' cannot be written: the clock of the video is too fine");
        ffmpeg::silence();
        if (options.on_gpu) open(gpu_encoder);
        if (!encoder_) open(software_encoder);
        if (!encoder_) throw_no_encoder();
        if (options.frames_per_second > 0) {
            step_ = std::max<std::int64_t>(
                1, std::llround(1 / (options.frames_per_second * av_q2d(encoder_->time_base))));
        }
        if (options.sound.video) sound_.emplace(options.sound.video, options.sound.limits);
        int status = begin();
        if (status < 0 && !sound_streams_.empty()) {
            leave_out_all(status);
            status = begin();
        }
        check(status);
        const auto is_copied = [](const SoundStream& sound) { return sound.to != nullptr; };
        if (std::none_of(sound_streams_.begin(), sound_streams_.end(), is_copied)) sound_.reset();
        frame_->format = AV_PIX_FMT_YUV420P;
        frame_->width = encoder_->width;
        frame_->height = encoder_->height;
        frame_->color_range = encoder_->color_range;
        check(av_frame_get_buffer(frame_.get(), 0));
    }

    const std::string& encoder() const { return name_; }
    const std::vector<std::string>& sound_left_out() const { return sound_left_out_; }

    void write(const ColourFrame& colours, std::int64_t time_stamp) {
        if (!last_) set_origin(time_stamp);
        check(av_frame_make_writable(frame_.get()));
        fill(0, colours.y, colours.width, encoder_->width, encoder_->height);
        fill(1, colours.u, colours.chroma_width(), encoder_->width / 2, encoder_->height / 2);
        fill(2, colours.v, colours.chroma_width(), encoder_->width / 2, encoder_->height / 2);
        frame_->pts = difference_of_stamps(time_stamp, origin_);
        if (last_) durations_[*last_] = step_ = std::max<std::int64_t>(1, frame_->pts - *last_);
        last_ = frame_->pts;
        send(frame_.get());
    }

    void close(std::optional<std::int64_t> end) {
        send(nullptr);
        copy_sound_until(end ? difference_of_stamps(*end, origin_) - 1
                             : std::numeric_limits<std::int64_t>::max());
        check(av_write_trailer(output_.get()));
        check(avio_closep(&output_->pb));
    }

  private:
    void open(const char* name) {
        encoder_.reset(opened(name, options_));
        if (encoder_) name_ = name;
    }

    /// Writes what stands before the first packets. \return a status of FFmpeg's muxer
    int begin() {
        AVFormatContext* output = nullptr;
        check(avformat_alloc_output_context2(&output, nullptr, options_.is_matroska ? "matroska" : "mp4",
                                             file_.c_str()));
        output_.reset(output);
        output->strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL;
        // MP4's times at which streams begin; milliseconds, its default, move sound against the pictures.
        av_opt_set_int(output->priv_data, "movie_timescale", 90'000, 0);
        stream_ = &new_stream();
        stream_->time_base = encoder_->time_base;
        stream_->avg_frame_rate = encoder_->framerate;
        stream_->sample_aspect_ratio = encoder_->sample_aspect_ratio;
        set_orientation(*stream_, options_.orientation);
        check(avcodec_parameters_from_context(stream_->codecpar, encoder_.get()));
        sound_streams_.clear();
        for (std::size_t i = 0; sound_ && i < sound_->streams(); ++i) add_sound(sound_->stream(i));
        check(avio_open(&output->pb, file_.c_str(), AVIO_FLAG_WRITE));
        return avformat_write_header(output, nullptr);
    }

    AVStream& new_stream() {
        AVStream* const stream = avformat_new_stream(output_.get(), nullptr);
        if (stream == nullptr) throw std::bad_alloc();
        return *stream;
    }

    void add_sound(const AVStream& from) {
        SoundStream& sound = sound_streams_.emplace_back();
        if (avformat_query_codec(output_->oformat, from.codecpar->codec_id, FF_COMPLIANCE_EXPERIMENTAL) !=
            1) {
            note_left_out(from, std::string("because ") + container() + " cannot hold it" +
                                    (options_.is_matroska ? "" : "; a file that ends in .mkv can"));
            return;
        }
        sound.to = &new_stream();
        if (avcodec_parameters_copy(sound.to->codecpar, from.codecpar) < 0) throw std::bad_alloc();
        sound.to->codecpar->codec_tag = 0;  // the container's own
        sound.to->time_base = from.time_base;
        sound.to->disposition = from.disposition;
        copy_tag(from, *sound.to, "language");
        copy_tag(from, *sound.to, "title");
    }

    const char* container() const { return options_.is_matroska ? "Matroska" : "MP4"; }

    void note_left_out(const AVStream& stream, const std::string& why) {
        std::string text =
            std::string("(") + avcodec_get_name(stream.codecpar->codec_id) + ") is left out, " + why;
        if (std::find(sound_left_out_.begin(), sound_left_out_.end(), text) == sound_left_out_.end())
            sound_left_out_.push_back(std::move(text));
    }

    void leave_out_all(int status) {
        sound_left_out_.clear();
        for (std::size_t i = 0; i < sound_->streams(); ++i) {
            note_left_out(sound_->stream(i), std::string("because it does not go into ") + container() +
                                                 " (" + ffmpeg::error_text(status) + ")");
        }
        sound_.reset();
    }

    void set_origin(std::int64_t first) {
        origin_ = first;
        if (!sound_ || !options_.sound.is_from_beginning) return;
        if (const std::optional<std::int64_t> heard = sound_->first_stamp())
            origin_ = std::min(origin_, *heard);
    }

    void fill(int plane, const std::vector<std::uint8_t>& from, int stride, int width, int height) {
        for (int y = 0; y < height; ++y) {
            std::copy_n(from.begin() + std::ptrdiff_t{y} * stride, width,
                        frame_->data[plane] + std::ptrdiff_t{y} * frame_->linesize[plane]);
        }
    }

    void send(const AVFrame* frame) {
        check(avcodec_send_frame(encoder_.get(), frame));
        for (;;) {
            const int status = avcodec_receive_packet(encoder_.get(), packet_.get());
            if (status == AVERROR(EAGAIN) || status == AVERROR_EOF) return;
            check(status);
            // The encoder tells none, and the last one is how long the file shows its last frame.
            const auto duration = durations_.extract(packet_->pts);
            packet_->duration = duration.empty() ? step_ : duration.mapped();
            copy_sound_until(packet_->dts);
            av_packet_rescale_ts(packet_.get(), encoder_->time_base, stream_->time_base);
            packet_->stream_index = stream_->index;
            check(av_write_frame(output_.get(), packet_.get()));
        }
    }

    /// Packets stand in the file in the order of their times. \param last time stamp of the pictures, from 0
    void copy_sound_until(std::int64_t last) {
        while (sound_) {
            if (!next_sound_) next_sound_ = sound_->read();
            if (!next_sound_) return;
            AVPacket& packet = *next_sound_;
            const AVRational clock = sound_->stream(static_cast<std::size_t>(packet.stream_index)).time_base;
            const std::int64_t origin = av_rescale_q(origin_, encoder_->time_base, clock);
            if (av_compare_ts(difference_of_stamps(packet.dts, origin), clock, last, encoder_->time_base) > 0)
                return;
            packet.pts = packet.dts = difference_of_stamps(packet.dts, origin);
            if (options_.sound.is_from_beginning || packet.pts >= 0) copy_sound(packet, clock);
            next_sound_.reset();
        }
    }

    void copy_sound(AVPacket& packet, AVRational clock) {
        SoundStream& sound = sound_streams_[static_cast<std::size_t>(packet.stream_index)];
        if (sound.to == nullptr) return;
        const AVStream& from = sound_->stream(static_cast<std::size_t>(packet.stream_index));
        av_packet_rescale_ts(&packet, clock, sound.to->time_base);
        // Muxers refuse times that do not rise, and files have them.
        packet.pts = packet.dts = std::max(packet.dts, sound.first_free);
        sound.first_free = packet.dts + 1;
        packet.stream_index = sound.to->index;
        packet.pos = -1;
        const int status = av_write_frame(output_.get(), &packet);
        if (status >= 0) return;
        if (output_->pb->error < 0) check(status);
        note_left_out(from, "from where it is damaged on (" + ffmpeg::error_text(status) + ")");
        sound.to = nullptr;
    }

    void check(int status) const {
        ffmpeg::throw_if_no_memory(status);
        if (status < 0) {
            throw Error("'" + file_.string() + "' cannot be written (" + ffmpeg::error_text(status) +
                        "); is the disk full?");
        }
    }

    struct SoundStream {
        AVStream* to = nullptr;  // of output_; null: it is left out
        std::int64_t first_free =
            std::numeric_limits<std::int64_t>::min();  // the least time of its next packet
    };

    const std::filesystem::path file_;
    const VideoWriterOptions options_;
    std::string name_;
    ffmpeg::FramePointer frame_;
    PacketPointer packet_;
    std::unique_ptr<AVFormatContext, MuxerDeleter> output_;
    ffmpeg::CodecContextPointer encoder_;
    AVStream* stream_ = nullptr;  // of output_
    std::int64_t origin_ = 0;     // the time stamp that is time 0 of the file
    std::optional<std::int64_t> last_;
    std::int64_t step_ = 1;                           // between the last two frames
    std::map<std::int64_t, std::int64_t> durations_;  // of frames that the encoder holds, by their times
    std::optional<SoundReader> sound_;
    std::vector<SoundStream> sound_streams_;  // of each stream of sound_
    PacketPointer next_sound_;
    std::vector<std::string> sound_left_out_;
};

VideoWriter::VideoWriter(const std::filesystem::path& file, const VideoWriterOptions& options)
    : implementation_(std::make_unique<Implementation>(file, options)) {}
VideoWriter::~VideoWriter() = default;

void VideoWriter::require_encoder(bool on_gpu) {
    const bool is_there = avcodec_find_encoder_by_name(software_encoder) != nullptr ||
                          (on_gpu && avcodec_find_encoder_by_name(gpu_encoder) != nullptr);
    if (!is_there) throw_no_encoder();
}

const std::string& VideoWriter::encoder() const {
    return implementation_->encoder();
}

void VideoWriter::write(const ColourFrame& frame, std::int64_t time_stamp) {
    implementation_->write(frame, time_stamp);
}

void VideoWriter::close(std::optional<std::int64_t> end) {
    implementation_->close(end);
}

const std::vector<std::string>& VideoWriter::sound_left_out() const {
    return implementation_->sound_left_out();
}

}  // namespace fovea
