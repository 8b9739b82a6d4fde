#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/core/view.hpp"
#include "lib/files/descriptor.hpp"
#include "lib/files/media_names.hpp"

namespace fovea {

/// The shape of a stored pixel as it is shown, width : height (the sample aspect ratio). 1:1 is a square.
struct PixelShape {
    int width = 1;
    int height = 1;

    friend bool operator==(const PixelShape&, const PixelShape&) = default;
};

/// The size of a picture whose width is changed so that its pixels are squares. Changes of less than 1 % are
/// left out.
Size squared_size(const PixelShape& pixel, Size stored);

/// Facts that a container and its stream tell of a video, before any frame is decoded.
struct VideoFacts {
    std::string container;     ///< FFmpeg's name, e.g. "mov,mp4,m4a,3gp,3g2,mj2"
    std::string codec;         ///< FFmpeg's name, e.g. "h264"
    std::string profile;       ///< e.g. "High"; empty if unknown
    std::string pixel_format;  ///< FFmpeg's name, e.g. "yuv420p"; empty if unknown
    int bits = 0;              ///< of a sample; 0 if unknown
    int width = 0;             ///< as stored, before it is stretched and turned
    int height = 0;
    PixelShape pixel;                 ///< square if the file tells none, or one longer than 10:1
    int orientation = 1;              ///< EXIF's, 1 to 8, by the container's display matrix
    int streams = 1;                  ///< number of video streams in the file
    double frames_per_second = 0;     ///< on average; 0 if unknown
    std::int64_t header_frames = 0;   ///< number of frames by the header; 0 if unknown
    std::int64_t packets = 0;         ///< number of the stream's packets that were read
    std::int64_t hidden_packets = 0;  ///< packets that an edit list or the codec does not display

    friend bool operator==(const VideoFacts&, const VideoFacts&) = default;
};

/// False if frames are stretched to be shown.
bool has_square_pixels(const VideoFacts& facts);

/// The size of frames for display: stretched, then turned.
Size shown_size(const VideoFacts& facts);

/// A place where decoding can begin: a key frame; no frame behind it depends on a frame before it.
struct VideoCut {
    std::int64_t frame = 0;       ///< number of the key frame, from 0 in the order of display
    std::int64_t time_stamp = 0;  ///< of the key frame

    friend bool operator==(const VideoCut&, const VideoCut&) = default;
};

/// A place where the time stamps of a video jump.
struct ClockBreak {
    std::int64_t frame = 0;   ///< number of the first frame behind it
    std::int64_t offset = 0;  ///< is added to the time stamps from this frame to the next break

    friend bool operator==(const ClockBreak&, const ClockBreak&) = default;
};

/// The bytes of a video that is no file of its own, but a member of an archive.
class VideoBytes {
  public:
    /// The bytes from `first` on of an open file.
    struct Range {
        std::shared_ptr<const FileDescriptor> file;
        std::uint64_t first = 0;
        std::uint64_t size = 0;
    };

    virtual ~VideoBytes() = default;
    /// Any threads may call it. \throws VideoError if they cannot be had; ShortageError, std::bad_alloc
    virtual Range open() const = 0;
};

/// One stream of a video file, ready to be read frame by frame.
struct VideoSource {
    std::filesystem::path file;  ///< for messages alone if it has `bytes`: the archive / the member's name
    int stream = 0;              ///< number in the container
    std::int64_t time_base_num = 1;  ///< a time stamp counts num / den seconds
    std::int64_t time_base_den = 1;
    /// True: packets do not tell frames apart, so the stream was decoded once to count them, and frames are
    /// found by their numbers. False: frames are found by their time stamps.
    bool counted_by_decoding = false;
    std::vector<VideoCut> cuts;      ///< rising; the first one is at frame 0
    std::size_t max_part_bytes = 0;  ///< the most bytes of packets between two cuts
    /// In the order of frames; empty if time stamps rise from frame to frame.
    std::vector<ClockBreak> clock_breaks{};
    VideoFacts facts;
    std::shared_ptr<const VideoBytes> bytes{};  ///< null: those of the file

    /// A frame's time stamp on a clock that rises from frame to frame: see clock_breaks_of().
    std::int64_t rising_stamp(std::int64_t number, std::int64_t time_stamp) const;
    /// A time stamp in seconds, rounded to microseconds.
    double seconds(std::int64_t time_stamp) const;

    friend bool operator==(const VideoSource&, const VideoSource&) = default;
};

/// One frame of a video.
struct VideoFrame {
    /// The time stamp of a frame that the video does not have: reading it says so.
    static constexpr std::int64_t no_time_stamp = std::numeric_limits<std::int64_t>::max();

    std::shared_ptr<const VideoSource> video;
    std::int64_t number = 0;  ///< from 0, in the order of display
    std::int64_t time_stamp = 0;

    /// See VideoSource::rising_stamp().
    std::int64_t rising_stamp() const { return video->rising_stamp(number, time_stamp); }
    /// The time when the frame is shown, in seconds: later than the frame before.
    double seconds() const { return video->seconds(rising_stamp()); }
};

/// The sum and the difference of time stamps; they wrap around, as a file may hold any numbers.
std::int64_t sum_of_stamps(std::int64_t a, std::int64_t b);
std::int64_t difference_of_stamps(std::int64_t a, std::int64_t b);

/// The rules for a video's clock, in units of time stamps.
struct ClockRules {
    std::int64_t step = 1;      ///< from frame to frame, by the frame rate
    std::int64_t max_back = 0;  ///< a time that is earlier by at most this is one frame's slip
    std::int64_t max_leap = 0;  ///< a time that is later than expected by more than this is a jump
};

/// The breaks of a clock. Behind a jump, time goes on by the frame rate until the file's own clock goes on
/// again. A frame whose time slips back a little gets the time one tick behind the frame before; later frames
/// keep theirs. Source: FFmpeg's ffmpeg, ts_discontinuity_detect(). \param stamps of the frames in the order
/// of display
std::vector<ClockBreak> clock_breaks_of(std::span<const std::int64_t> stamps, const ClockRules& rules);

/// "clip.mp4#000123": the name of a frame in results. Numbers have at least six digits.
std::string frame_name(std::string_view video, std::int64_t number);

/// A frame's name in its two parts.
struct FrameName {
    std::string_view video;
    std::int64_t number = 0;
};

/// Undoes frame_name(); nothing if this is no frame's name: a video's name, '#' and digits. If there are six
/// digits or more, any name but an image's may be the video's.
std::optional<FrameName> split_frame_name(std::string_view name);

/// The number, from 0, of the part between two cuts that holds a frame.
std::size_t part_of_frame(const VideoSource& video, std::int64_t number);

}  // namespace fovea
