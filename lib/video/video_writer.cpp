#include "lib/video/video_writer.hpp"

#include <algorithm>
#include <limits>
#include <new>

extern "C" {
#include <libavutil/opt.h>
}

#include "lib/core/error.hpp"
#include "lib/video/ffmpeg.hpp"

namespace fovea {
namespace {

struct MuxerDeleter {
    void operator()(AVFormatContext* output) const {
        if (output->pb != nullptr) avio_closep(&output->pb);
        avformat_free_context(output);
    }
};

AVCodecContext* opened(const char* name, const VideoWriterOptions& options, bool has_global_header) {
    const AVCodec* const codec = avcodec_find_encoder_by_name(name);
    if (codec == nullptr) return nullptr;
    AVCodecContext* context = avcodec_alloc_context3(codec);
    if (context == nullptr) throw std::bad_alloc();
    context->width = options.width & ~1;
    context->height = options.height & ~1;
    context->pix_fmt = AV_PIX_FMT_YUV420P;
    context->color_range = options.is_full_range ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
    context->time_base = {static_cast<int>(options.time_base_num), static_cast<int>(options.time_base_den)};
    if (has_global_header) context->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    const std::string quality = std::to_string(options.quality);
    av_opt_set(context->priv_data, "crf", quality.c_str(), 0);  // libx264
    av_opt_set(context->priv_data, "cq", quality.c_str(), 0);   // NVENC
    if (avcodec_open2(context, codec, nullptr) >= 0) return context;
    avcodec_free_context(&context);
    return nullptr;
}

}  // namespace

class VideoWriter::Implementation {
  public:
    Implementation(const std::filesystem::path& file, const VideoWriterOptions& options)
        : file_(file), frame_(ffmpeg::make_frame()), packet_(av_packet_alloc()) {
        constexpr std::int64_t largest = std::numeric_limits<int>::max();
        if (!packet_) throw std::bad_alloc();
        if (options.width < 2 || options.height < 2)
            throw Error("'" + file.string() + "' cannot be written: its frames are smaller than 2x2 pixels");
        if (options.time_base_num > largest || options.time_base_den > largest)
            throw Error("'" + file.string() + "' cannot be written: the clock of the video is too fine");
        ffmpeg::silence();
        AVFormatContext* output = nullptr;
        check(avformat_alloc_output_context2(&output, nullptr, "mp4", file.c_str()));
        output_.reset(output);
        const bool has_global_header = (output->oformat->flags & AVFMT_GLOBALHEADER) != 0;
        if (options.on_gpu) open("h264_nvenc", options, has_global_header);
        if (!encoder_) open("libx264", options, has_global_header);
        if (!encoder_) {
            throw UsageError("'" + file.string() +
                             "' cannot be written: FFmpeg has no encoder for H.264 here (libx264)");
        }
        stream_ = avformat_new_stream(output, nullptr);
        if (stream_ == nullptr) throw std::bad_alloc();
        stream_->time_base = encoder_->time_base;
        check(avcodec_parameters_from_context(stream_->codecpar, encoder_.get()));
        check(avio_open(&output->pb, file.c_str(), AVIO_FLAG_WRITE));
        check(avformat_write_header(output, nullptr));
        frame_->format = AV_PIX_FMT_YUV420P;
        frame_->width = encoder_->width;
        frame_->height = encoder_->height;
        frame_->color_range = encoder_->color_range;
        check(av_frame_get_buffer(frame_.get(), 0));
    }

    const std::string& encoder() const { return name_; }

    void write(const ColourFrame& colours, std::int64_t time_stamp) {
        check(av_frame_make_writable(frame_.get()));
        fill(0, colours.y, colours.width, encoder_->width, encoder_->height);
        fill(1, colours.u, colours.chroma_width(), encoder_->width / 2, encoder_->height / 2);
        fill(2, colours.v, colours.chroma_width(), encoder_->width / 2, encoder_->height / 2);
        frame_->pts = time_stamp;
        send(frame_.get());
    }

    void close() {
        send(nullptr);
        check(av_write_trailer(output_.get()));
        check(avio_closep(&output_->pb));
    }

  private:
    void open(const char* name, const VideoWriterOptions& options, bool has_global_header) {
        encoder_.reset(opened(name, options, has_global_header));
        if (encoder_) name_ = name;
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
            // MP4 leaves out a last frame without a duration.
            packet_->duration = std::max<std::int64_t>(packet_->duration, 1);
            av_packet_rescale_ts(packet_.get(), encoder_->time_base, stream_->time_base);
            packet_->stream_index = stream_->index;
            check(av_interleaved_write_frame(output_.get(), packet_.get()));
        }
    }

    void check(int status) const {
        ffmpeg::throw_if_no_memory(status);
        if (status < 0) {
            throw Error("'" + file_.string() + "' cannot be written (" + ffmpeg::error_text(status) +
                        "); is the disk full?");
        }
    }

    const std::filesystem::path file_;
    std::string name_;
    ffmpeg::FramePointer frame_;
    PacketPointer packet_;
    std::unique_ptr<AVFormatContext, MuxerDeleter> output_;
    ffmpeg::CodecContextPointer encoder_;
    AVStream* stream_ = nullptr;  // of output_
};

VideoWriter::VideoWriter(const std::filesystem::path& file, const VideoWriterOptions& options)
    : implementation_(std::make_unique<Implementation>(file, options)) {}
VideoWriter::~VideoWriter() = default;

const std::string& VideoWriter::encoder() const {
    return implementation_->encoder();
}

void VideoWriter::write(const ColourFrame& frame, std::int64_t time_stamp) {
    implementation_->write(frame, time_stamp);
}

void VideoWriter::close() {
    implementation_->close();
}

}  // namespace fovea
