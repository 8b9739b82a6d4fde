#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/video/packet.hpp"
#include "lib/video/video_source.hpp"

struct AVCodecParameters;
struct AVStream;

namespace fovea {

/// Limits on what a video may ask for.
struct VideoLimits {
    std::int64_t max_pixels = 400'000'000;  ///< of a frame
    std::size_t max_bytes = 0;              ///< of all frames of a decoder; 0 = no limit
};

/// The memory that the videos of this process may take while they are listed and read. 0 = no limit.
struct VideoMemory {
    std::size_t frames = 0;  ///< bytes of frames, unless VideoLimits say otherwise
    std::size_t index = 0;   ///< bytes of each file's lists by which its packets are found
};

/// Limits the memory of videos. Call it once, before any is opened.
void limit_video_memory(const VideoMemory& memory);
VideoMemory video_memory();

/// The packets of one stream of a video file, in the order of the file (FFmpeg's libavformat). Other files
/// and addresses that a container refers to are never opened. One thread at a time may use it.
class VideoFile {
  public:
    /// \param stream  number in the container; nothing: the stream that FFmpeg calls the best.
    /// \param bytes  instead of the file's, which only names them then; null: the file's.
    /// \throws VideoError if it is no regular file or no video, if it has no such stream, or if the limits or
    /// video_memory() forbid it; ShortageError, std::bad_alloc
    VideoFile(const std::filesystem::path& file, std::optional<int> stream, const VideoLimits& limits,
              const VideoBytes* bytes = nullptr);
    ~VideoFile();
    VideoFile(VideoFile&&) noexcept;
    VideoFile& operator=(VideoFile&&) noexcept;

    int stream() const;
    std::int64_t time_base_num() const;
    std::int64_t time_base_den() const;
    VideoFacts facts() const;
    /// True for a container whose clock may begin anew within the file: MPEG streams and Ogg.
    bool has_loose_clock() const;
    const AVCodecParameters& parameters() const;
    /// A stream of the file by its number.
    const AVStream& stream_at(int number) const;
    /// From now on read() gives the packets of the sound instead: of the video's program, if there are
    /// several. \return the numbers of its streams
    std::vector<int> turn_to_sound();

    /// The next packet; null at the end. \throws ShortageError, std::bad_alloc
    PacketPointer read();
    /// The reason if the packets end before the file does; else empty.
    const std::string& damage() const;

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace fovea
