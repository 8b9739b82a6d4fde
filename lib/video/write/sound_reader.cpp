#include "lib/video/write/sound_reader.hpp"

#include <algorithm>
#include <utility>

#include "lib/video/ffmpeg.hpp"

namespace fovea {
namespace {

AVRational clock_of(const VideoSource& video) {
    return {static_cast<int>(video.time_base_num), static_cast<int>(video.time_base_den)};
}

std::uint64_t distance(std::int64_t a, std::int64_t b) {
    const std::int64_t difference = difference_of_stamps(a, b);
    const auto bits = static_cast<std::uint64_t>(difference);
    return difference < 0 ? 0 - bits : bits;
}

}  // namespace

SoundReader::SoundReader(std::shared_ptr<const VideoSource> video, const VideoLimits& limits)
    : video_(std::move(video)), file_(video_->file, video_->stream, limits, video_->bytes.get()) {
    for (const int number : file_.turn_to_sound()) {
        Stream stream;
        stream.number = number;
        stream.offsets.push_back(0);
        const AVRational clock = file_.stream_at(number).time_base;
        for (const ClockBreak& place : video_->clock_breaks)
            stream.offsets.push_back(av_rescale_q(place.offset, clock_of(*video_), clock));
        streams_.push_back(std::move(stream));
    }
}

std::optional<std::int64_t> SoundReader::first_stamp() const {
    std::optional<std::int64_t> first;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
        if (stream(i).start_time == AV_NOPTS_VALUE) continue;
        const std::int64_t start =
            av_rescale_q_rnd(stream(i).start_time, stream(i).time_base, clock_of(*video_), AV_ROUND_DOWN);
        first = std::min(first.value_or(start), start);
    }
    return first;
}

PacketPointer SoundReader::read() {
    for (;;) {
        PacketPointer packet = file_.read();
        if (!packet) return nullptr;
        const auto stream = std::find_if(streams_.begin(), streams_.end(), [&](const Stream& candidate) {
            return candidate.number == packet->stream_index;
        });
        if (stream == streams_.end()) continue;
        set_times(*stream, *packet);
        packet->stream_index = static_cast<int>(stream - streams_.begin());
        return packet;
    }
}

void SoundReader::set_times(Stream& stream, AVPacket& packet) const {
    // The sound of a recording does not jump by less than this while its pictures go on.
    constexpr AVRational tenth{1, 10};
    const auto tolerance =
        static_cast<std::uint64_t>(av_rescale_q(1, tenth, file_.stream_at(stream.number).time_base));
    // Sound is decoded in the order in which it is heard.
    std::int64_t time = packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts;
    if (time == AV_NOPTS_VALUE) time = difference_of_stamps(stream.expected.value_or(0), stream.offset);
    if (stream.expected) {
        const auto error_of = [&](std::int64_t offset) {
            return distance(sum_of_stamps(time, offset), *stream.expected);
        };
        if (error_of(stream.offset) > tolerance) {
            stream.offset =
                *std::min_element(stream.offsets.begin(), stream.offsets.end(),
                                  [&](std::int64_t a, std::int64_t b) { return error_of(a) < error_of(b); });
        }
    }
    packet.pts = packet.dts = sum_of_stamps(time, stream.offset);
    stream.expected = sum_of_stamps(packet.pts, packet.duration);
}

}  // namespace fovea
