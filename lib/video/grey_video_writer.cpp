#include "lib/video/grey_video_writer.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <string>

#include "lib/core/error.hpp"
#include "lib/video/ffmpeg.hpp"

extern "C" {
#include <libavutil/opt.h>
}

namespace fovea {

/// The encoder and the file.
class GreyVideoWriter::Stream {
  public:
    Stream(const std::filesystem::path& file, const GreyVideoOptions& options)
        : file_(file), options_(options), packet_(av_packet_alloc()), frame_(ffmpeg::make_frame()) {
        if (packet_ == nullptr) throw std::bad_alloc();
        ffmpeg::silence();
        try {
            check(avformat_alloc_output_context2(&output_, nullptr, nullptr, file.c_str()));
            open_encoder();
            make_frame_buffer();
            begin();
        } catch (...) {
            close();
            throw;
        }
    }
    ~Stream() { close(); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    void write(const ImageView<const std::uint8_t>& image) {
        if (image.width != options_.size.width || image.height != options_.size.height)
            throw std::invalid_argument("a frame has another size than its video");
        check(av_frame_make_writable(frame_.get()));
        for (int y = 0; y < image.height; ++y)
            std::copy_n(image.row(y), image.width,
                        frame_->data[0] + static_cast<std::ptrdiff_t>(y) * frame_->linesize[0]);
        frame_->pts = next_++;
        send(frame_.get());
    }

    void finish() {
        send(nullptr);
        check(av_write_trailer(output_));
        check(avio_closep(&output_->pb));
    }

  private:
    void check(int status) const {
        if (status >= 0) return;
        ffmpeg::throw_if_no_memory(status);
        throw Error("cannot write the video '" + file_.string() + "': " + ffmpeg::error_text(status));
    }

    void open_encoder() {
        const std::string name = options_.crf ? "libx264" : "ffv1";
        const AVCodec* const encoder = avcodec_find_encoder_by_name(name.c_str());
        if (encoder == nullptr) {
            throw Error("the installed FFmpeg cannot write '" + file_.string() + "': it has no encoder " +
                        name);
        }
        codec_.reset(avcodec_alloc_context3(encoder));
        if (!codec_) throw std::bad_alloc();
        codec_->width = options_.size.width;
        codec_->height = options_.size.height;
        codec_->pix_fmt = AV_PIX_FMT_YUV420P;
        codec_->color_range = AVCOL_RANGE_JPEG;
        codec_->framerate = {options_.frames_per_second, 1};
        codec_->time_base = {1, options_.frames_per_second};
        codec_->thread_count = 1;
        codec_->flags |= AV_CODEC_FLAG_BITEXACT;
        if ((output_->oformat->flags & AVFMT_GLOBALHEADER) != 0) codec_->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
        if (options_.crf)
            check(av_opt_set(codec_.get(), "crf", std::to_string(*options_.crf).c_str(),
                             AV_OPT_SEARCH_CHILDREN));
        check(avcodec_open2(codec_.get(), encoder, nullptr));
    }

    void make_frame_buffer() {
        frame_->width = codec_->width;
        frame_->height = codec_->height;
        frame_->format = codec_->pix_fmt;
        frame_->color_range = codec_->color_range;
        check(av_frame_get_buffer(frame_.get(), 0));
        const int chroma_rows = (frame_->height + 1) / 2;
        for (const int plane : {1, 2})
            std::fill_n(frame_->data[plane],
                        static_cast<std::ptrdiff_t>(frame_->linesize[plane]) * chroma_rows,
                        std::uint8_t{128});
    }

    void begin() {
        stream_ = avformat_new_stream(output_, nullptr);
        if (stream_ == nullptr) throw std::bad_alloc();
        check(avcodec_parameters_from_context(stream_->codecpar, codec_.get()));
        stream_->time_base = codec_->time_base;
        stream_->avg_frame_rate = codec_->framerate;
        output_->flags |= AVFMT_FLAG_BITEXACT;
        check(avio_open(&output_->pb, file_.c_str(), AVIO_FLAG_WRITE));
        check(avformat_write_header(output_, nullptr));
    }

    void send(const AVFrame* frame) {
        check(avcodec_send_frame(codec_.get(), frame));
        for (;;) {
            const int status = avcodec_receive_packet(codec_.get(), packet_);
            if (status == AVERROR(EAGAIN) || status == AVERROR_EOF) return;
            check(status);
            packet_->stream_index = stream_->index;
            if (packet_->duration == 0) packet_->duration = 1;
            av_packet_rescale_ts(packet_, codec_->time_base, stream_->time_base);
            check(av_interleaved_write_frame(output_, packet_));
        }
    }

    void close() {
        av_packet_free(&packet_);
        if (output_ == nullptr) return;
        if (output_->pb != nullptr) avio_closep(&output_->pb);
        avformat_free_context(output_);
        output_ = nullptr;
    }

    const std::filesystem::path file_;
    const GreyVideoOptions options_;
    AVFormatContext* output_ = nullptr;
    AVStream* stream_ = nullptr;
    AVPacket* packet_ = nullptr;
    ffmpeg::FramePointer frame_;
    ffmpeg::CodecContextPointer codec_;
    std::int64_t next_ = 0;
};

GreyVideoWriter::GreyVideoWriter(const std::filesystem::path& file, const GreyVideoOptions& options)
    : stream_(std::make_unique<Stream>(file, options)) {}
GreyVideoWriter::~GreyVideoWriter() = default;

void GreyVideoWriter::write(const ImageView<const std::uint8_t>& frame) {
    stream_->write(frame);
}

void GreyVideoWriter::finish() {
    stream_->finish();
}

}  // namespace fovea
