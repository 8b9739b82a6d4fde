#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <vector>

#include "lib/video/packet.hpp"
#include "lib/video/video_file.hpp"
#include "lib/video/video_source.hpp"

namespace fovea {

/// The time stamps of a part's frames: from `first` on, before `end`.
struct StampRange {
    std::int64_t first = std::numeric_limits<std::int64_t>::min();
    std::int64_t end = std::numeric_limits<std::int64_t>::max();

    bool contains(std::int64_t stamp) const { return stamp >= first && stamp < end; }
};

/// Reads the packets of a video by parts, which lie between two cuts. Each part can be decoded alone, and
/// gives the frames that the whole gives. Frames that are displayed before a key frame, but follow it in the
/// file, are in both parts, as is the key frame; each part counts only the frames in its range of
/// time stamps.
class PartReader {
  public:
    /// \throws VideoError as VideoFile, and if the file has changed since it was listed.
    PartReader(std::shared_ptr<const VideoSource> video, const VideoLimits& limits);

    /// Goes to the next part; the first call goes to part 0. \return false if there is none.
    bool next_part();
    /// The number of the current part, from 0.
    std::size_t part() const { return part_; }
    StampRange stamps() const;
    /// The next packet of the part; null at its end. \throws as VideoFile::read()
    PacketPointer read();

    const VideoSource& video() const { return *video_; }
    /// The parameters of the stream, for a decoder.
    const std::shared_ptr<const AVCodecParameters>& parameters() const { return parameters_; }

  private:
    PacketPointer fetch();
    PacketPointer fetch_for_both();

    std::shared_ptr<const VideoSource> video_;
    VideoFile file_;
    std::shared_ptr<const AVCodecParameters> parameters_;
    std::deque<PacketPointer> again_;      // packets that were read and come next
    std::deque<PacketPointer> next_part_;  // the beginning of the next part, so far
    PacketPointer ahead_;                  // a packet of this part that was read ahead
    std::size_t part_ = 0;
    bool has_begun_ = false;
    bool is_at_end_ = false;   // the part has no more packets
    bool is_in_both_ = false;  // packets belong to this part and to the next one
};

/// A part of a video, in memory.
struct VideoPart {
    std::shared_ptr<const VideoSource> video;
    std::shared_ptr<const AVCodecParameters> parameters;
    std::size_t number = 0;  ///< from 0
    StampRange stamps;
    std::vector<PacketPointer> packets;
    std::size_t bytes = 0;  ///< the size of the packets
};

/// Reads the rest of a reader's current part into memory.
VideoPart take_part(const std::shared_ptr<const VideoSource>& video, PartReader& reader);

}  // namespace fovea
