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

/// Time stamps of the frames of a part: from `first` on, before `end`.
struct StampRange {
    std::int64_t first = std::numeric_limits<std::int64_t>::min();
    std::int64_t end = std::numeric_limits<std::int64_t>::max();

    bool contains(std::int64_t stamp) const { return stamp >= first && stamp < end; }
};

/// The packets of a video by parts, which lie between two cuts. Each part can be decoded alone, with the same
/// frames as in the whole: where frames are displayed before a key frame and stand behind it in the file, key
/// frame and frames are in both parts, and each part counts only the frames of its range of time stamps.
class PartReader {
  public:
    /// \throws VideoError as VideoFile, and if the file is not the one that was listed any more.
    PartReader(std::shared_ptr<const VideoSource> video, const VideoLimits& limits);

    /// Goes to the next part, at first to part 0; false if there is none.
    bool next_part();
    std::size_t part() const { return part_; }  ///< from 0
    StampRange stamps() const;
    /// The next packet of the part; null at its end. \throws as VideoFile::read
    PacketPointer read();

    const VideoSource& video() const { return *video_; }
    /// A decoder needs these to know the stream.
    const std::shared_ptr<const AVCodecParameters>& parameters() const { return parameters_; }

  private:
    PacketPointer fetch();
    PacketPointer fetch_for_both();

    std::shared_ptr<const VideoSource> video_;
    VideoFile file_;
    std::shared_ptr<const AVCodecParameters> parameters_;
    std::deque<PacketPointer> again_;      // packets that were read, and come next
    std::deque<PacketPointer> next_part_;  // the beginning of the next part, so far
    PacketPointer ahead_;                  // of this part, read to see what follows
    std::size_t part_ = 0;
    bool has_begun_ = false;
    bool is_at_end_ = false;   // of the part
    bool is_in_both_ = false;  // packets are of this part and of the next
};

/// A part of a video, in memory.
struct VideoPart {
    std::shared_ptr<const VideoSource> video;
    std::shared_ptr<const AVCodecParameters> parameters;
    std::size_t number = 0;  ///< from 0
    StampRange stamps;
    std::vector<PacketPointer> packets;
    std::size_t bytes = 0;  ///< of the packets
};

/// Reads the rest of a reader's part.
VideoPart take_part(const std::shared_ptr<const VideoSource>& video, PartReader& reader);

}  // namespace fovea
