#include "tests/support/video/sound_packets.hpp"

#include <cmath>
#include <map>

#include "tests/support/video/libav.hpp"

extern "C" {
#include <libavutil/display.h>
}

namespace fovea::test {

using libav::check;

FileStreams streams_of(const std::filesystem::path& file) {
    AVFormatContext* opened = nullptr;
    check(avformat_open_input(&opened, file.c_str(), nullptr, nullptr), "opening " + file.string());
    const std::unique_ptr<AVFormatContext, libav::Deleter<avformat_close_input>> input(opened);
    check(avformat_find_stream_info(opened, nullptr), "streams of " + file.string());
    FileStreams streams;
    streams.container = opened->iformat->name;
    streams.seconds = static_cast<double>(opened->duration) / AV_TIME_BASE;
    std::map<int, std::size_t> places;
    for (unsigned i = 0; i < opened->nb_streams; ++i) {
        const AVStream& stream = *opened->streams[i];
        const AVCodecParameters& parameters = *stream.codecpar;
        if (parameters.codec_type == AVMEDIA_TYPE_VIDEO) {
            streams.sample_aspect[0] = parameters.sample_aspect_ratio.num;
            streams.sample_aspect[1] = parameters.sample_aspect_ratio.den;
            streams.level = parameters.level;
            streams.colour_matrix = parameters.color_space;
            if (const std::uint8_t* const matrix =
                    av_stream_get_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, nullptr))
                streams.rotation = static_cast<int>(
                    std::lround(av_display_rotation_get(reinterpret_cast<const std::int32_t*>(matrix))));
        } else if (parameters.codec_type == AVMEDIA_TYPE_AUDIO) {
            places[static_cast<int>(i)] = streams.sound.size();
            SoundStream& sound = streams.sound.emplace_back();
            sound.codec = avcodec_get_name(parameters.codec_id);
            sound.channels = parameters.ch_layout.nb_channels;
            if (const AVDictionaryEntry* const tag = av_dict_get(stream.metadata, "language", nullptr, 0))
                if (std::string(tag->value) != "und") sound.language = tag->value;
        } else {
            ++streams.others;
        }
    }
    const libav::Packet packet(av_packet_alloc());
    while (av_read_frame(opened, packet.get()) >= 0) {
        if (const auto place = places.find(packet->stream_index); place != places.end()) {
            const AVRational clock = opened->streams[packet->stream_index]->time_base;
            streams.sound[place->second].packets.push_back(
                {static_cast<double>(packet->pts) * av_q2d(clock),
                 std::string(reinterpret_cast<const char*>(packet->data),
                             static_cast<std::size_t>(packet->size))});
        }
        av_packet_unref(packet.get());
    }
    return streams;
}

}  // namespace fovea::test
