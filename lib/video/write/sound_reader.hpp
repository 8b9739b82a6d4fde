#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "lib/video/packet.hpp"
#include "lib/video/video_file.hpp"

struct AVStream;

namespace fovea {

/// The packets of a video's sound, as they are stored, on the clock of its pictures: where that goes back or
/// leaps, the sound goes along. One thread at a time may use it.
class SoundReader {
  public:
    /// \throws as VideoFile
    SoundReader(std::shared_ptr<const VideoSource> video, const VideoLimits& limits);

    /// The streams of sound, in the order of the file.
    std::size_t streams() const { return streams_.size(); }
    const AVStream& stream(std::size_t i) const { return file_.stream_at(streams_[i].number); }
    /// The time at which the first sound is heard, as a time stamp of the pictures; nothing if no stream
    /// tells it.
    std::optional<std::int64_t> first_stamp() const;

    /// The next packet, in the order of the file; null at the end. Its `stream_index` is the place of its
    /// stream here, and both of its times are that at which it is heard. \throws as VideoFile::read()
    PacketPointer read();

  private:
    struct Stream {
        int number = 0;                        // in the container
        std::vector<std::int64_t> offsets;     // those of the pictures' clock
        std::int64_t offset = 0;               // the one that is added
        std::optional<std::int64_t> expected;  // time of the next packet
    };

    void set_times(Stream& stream, AVPacket& packet) const;

    const std::shared_ptr<const VideoSource> video_;
    VideoFile file_;
    std::vector<Stream> streams_;
};

}  // namespace fovea
