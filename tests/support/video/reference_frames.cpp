#include "tests/support/video/reference_frames.hpp"

#include <algorithm>
#include <cmath>

#include "tests/support/video/libav.hpp"

namespace fovea::test {
namespace {

using libav::check;
using Input = std::unique_ptr<AVFormatContext, libav::Deleter<avformat_close_input>>;

Input open_input(const std::filesystem::path& file,
                 const std::vector<std::pair<std::string, std::string>>& options) {
    AVFormatContext* context = nullptr;
    AVDictionary* dictionary = nullptr;
    for (const auto& [name, value] : options) av_dict_set(&dictionary, name.c_str(), value.c_str(), 0);
    const int status = avformat_open_input(&context, file.c_str(), nullptr, &dictionary);
    av_dict_free(&dictionary);
    check(status, "opening " + file.string());
    Input input(context);
    check(avformat_find_stream_info(context, nullptr), "streams of " + file.string());
    return input;
}

libav::Codec open_decoder(const AVStream& stream) {
    const AVCodec* const decoder = avcodec_find_decoder(stream.codecpar->codec_id);
    libav::Codec codec(avcodec_alloc_context3(decoder));
    check(avcodec_parameters_to_context(codec.get(), stream.codecpar), "parameters");
    codec->thread_count = 1;
    check(avcodec_open2(codec.get(), decoder, nullptr), "decoder");
    return codec;
}

/// A sample, 0 to 2^bits - 1, rounded to 8 bits.
double sample_at(const AVFrame& frame, const AVComponentDescriptor& place, int x, int y) {
    const std::uint8_t* const from = frame.data[place.plane] +
                                     std::ptrdiff_t{y} * frame.linesize[place.plane] +
                                     std::ptrdiff_t{x} * place.step + place.offset;
    if (place.depth == 8) return *from;
    const int word = from[0] | from[1] << 8;
    return std::min(255.0, std::floor((word >> place.shift) / std::exp2(place.depth - 8) + 0.5));
}

bool is_full_range(const AVFrame& frame, const AVPixFmtDescriptor& layout) {
    if (std::string(layout.name).rfind("yuvj", 0) == 0) return true;
    if (frame.color_range == AVCOL_RANGE_UNSPECIFIED) return layout.nb_components <= 2;
    return frame.color_range == AVCOL_RANGE_JPEG;
}

double grey_at(const AVFrame& frame, const AVPixFmtDescriptor& layout, int x, int y) {
    if ((layout.flags & AV_PIX_FMT_FLAG_RGB) != 0) {
        const double sum = 9798 * sample_at(frame, layout.comp[0], x, y) +
                           19235 * sample_at(frame, layout.comp[1], x, y) +
                           3735 * sample_at(frame, layout.comp[2], x, y);
        return std::floor(sum / 32768 + 0.5);
    }
    const double luma = sample_at(frame, layout.comp[0], x, y);
    if (is_full_range(frame, layout)) return luma;
    return std::clamp(std::floor((luma - 16) * 255 / 219 + 0.5), 0.0, 255.0);
}

ReferenceFrame reference_of(const AVFrame& frame, AVRational time_base, bool with_pixels) {
    ReferenceFrame made;
    made.width = frame.width;
    made.height = frame.height;
    if (frame.best_effort_timestamp != AV_NOPTS_VALUE) {
        made.time_stamp = frame.best_effort_timestamp;
        made.seconds = static_cast<double>(frame.best_effort_timestamp) * time_base.num / time_base.den;
    }
    if (!with_pixels) return made;
    const AVPixFmtDescriptor& layout = *av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
    for (int y = 0; y < frame.height; ++y) {
        for (int x = 0; x < frame.width; ++x)
            made.pixels.push_back(static_cast<std::uint8_t>(grey_at(frame, layout, x, y)));
    }
    return made;
}

}  // namespace

std::vector<ReferenceFrame> reference_frames(
    const std::filesystem::path& file, std::optional<int> stream, std::size_t pixel_step,
    const std::vector<std::pair<std::string, std::string>>& options) {
    av_log_set_level(AV_LOG_QUIET);
    const Input input = open_input(file, options);
    const int best =
        av_find_best_stream(input.get(), AVMEDIA_TYPE_VIDEO, stream.value_or(-1), -1, nullptr, 0);
    check(best, "stream");
    const AVStream& chosen = *input->streams[best];
    const libav::Codec codec = open_decoder(chosen);
    const libav::Packet packet(av_packet_alloc());
    const libav::Frame frame(av_frame_alloc());
    std::vector<ReferenceFrame> frames;
    const auto receive = [&] {
        for (;;) {
            const int status = avcodec_receive_frame(codec.get(), frame.get());
            if (status == AVERROR(EAGAIN) || status == AVERROR_EOF) return;
            if (status < 0) continue;
            const bool with_pixels = pixel_step > 0 && frames.size() % pixel_step == 0;
            frames.push_back(reference_of(*frame, chosen.time_base, with_pixels));
        }
    };
    while (av_read_frame(input.get(), packet.get()) >= 0) {
        if (packet->stream_index == best) {
            avcodec_send_packet(codec.get(), packet.get());  // damage shows in what is received
            receive();
        }
        av_packet_unref(packet.get());
    }
    avcodec_send_packet(codec.get(), nullptr);
    receive();
    return frames;
}

}  // namespace fovea::test
