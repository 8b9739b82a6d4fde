#include "lib/video/repeat_video.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "lib/video/ffmpeg.hpp"
#include "lib/video/video_error.hpp"
#include "lib/video/video_file.hpp"

namespace fovea {
namespace {

struct OutputDeleter {
    void operator()(AVFormatContext* context) const {
        if (context->pb != nullptr) avio_closep(&context->pb);
        avformat_free_context(context);
    }
};
using OutputPointer = std::unique_ptr<AVFormatContext, OutputDeleter>;

[[noreturn]] void fail_to_write(const std::filesystem::path& file, int status) {
    ffmpeg::throw_if_no_memory(status);
    throw Error("cannot write the video '" + file.string() + "': " + ffmpeg::error_text(status));
}

OutputPointer begin_output(const std::filesystem::path& file, const VideoFile& source) {
    AVFormatContext* context = nullptr;
    int status = avformat_alloc_output_context2(&context, nullptr, nullptr, file.c_str());
    if (status < 0) fail_to_write(file, status);
    OutputPointer output(context);
    AVStream* const stream = avformat_new_stream(context, nullptr);
    if (stream == nullptr || avcodec_parameters_copy(stream->codecpar, &source.parameters()) < 0)
        throw std::bad_alloc();
    stream->codecpar->codec_tag = 0;
    stream->time_base = {static_cast<int>(source.time_base_num()), static_cast<int>(source.time_base_den())};
    status = avio_open(&context->pb, file.c_str(), AVIO_FLAG_WRITE);
    if (status >= 0) status = avformat_write_header(context, nullptr);
    if (status < 0) fail_to_write(file, status);
    return output;
}

// The time from the first packet of a round to that of the next.
std::int64_t length_of(const std::vector<PacketPointer>& packets) {
    std::int64_t first = packets.front()->dts, end = first;
    for (const PacketPointer& packet : packets) {
        if (packet->dts == AV_NOPTS_VALUE || packet->pts == AV_NOPTS_VALUE)
            throw VideoError("its packets have no time stamps, so it cannot be repeated");
        first = std::min(first, packet->dts);
        end = std::max(end, std::max(packet->dts, packet->pts) + std::max<std::int64_t>(1, packet->duration));
    }
    return end - first;
}

}  // namespace

std::size_t repeat_video(const std::filesystem::path& from, const std::filesystem::path& to, int times) {
    VideoFile source(from, std::nullopt, {});
    std::vector<PacketPointer> packets;
    while (PacketPointer packet = source.read()) packets.push_back(std::move(packet));
    if (packets.empty()) throw VideoError("it has no packets");
    const std::int64_t length = length_of(packets);
    const OutputPointer output = begin_output(to, source);
    const AVRational base{static_cast<int>(source.time_base_num()), static_cast<int>(source.time_base_den())};
    std::size_t written = 0;
    for (int round = 0; round < times; ++round) {
        for (const PacketPointer& original : packets) {
            const PacketPointer packet = share_packet(*original);
            packet->stream_index = 0;
            packet->pos = -1;
            packet->pts += round * length;
            packet->dts += round * length;
            av_packet_rescale_ts(packet.get(), base, output->streams[0]->time_base);
            const int status = av_interleaved_write_frame(output.get(), packet.get());
            if (status < 0) fail_to_write(to, status);
            ++written;
        }
    }
    const int status = av_write_trailer(output.get());
    if (status < 0) fail_to_write(to, status);
    return written;
}

}  // namespace fovea
