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
#include "lib/files/media_names.hpp"

namespace fovea {

/// How wide a stored pixel is shown, to how high: the sample aspect ratio. 1:1 is a square.
struct PixelShape {
    int width = 1;
    int height = 1;

    friend bool operator==(const PixelShape&, const PixelShape&) = default;
};

/// The size of a picture once it is stretched, or narrowed, so that its pixels are squares; its height stays.
/// Less than 1 % is left as it is.
Size squared_size(const PixelShape& pixel, Size stored);

/// A container and its stream say this of a video, before any frame of it is decoded.
struct VideoFacts {
    std::string container;     ///< FFmpeg's name, e.g. "mov,mp4,m4a,3gp,3g2,mj2"
    std::string codec;         ///< FFmpeg's name, e.g. "h264"
    std::string profile;       ///< e.g. "High"; empty if unknown
    std::string pixel_format;  ///< FFmpeg's name, e.g. "yuv420p"; empty if unknown
    int bits = 0;              ///< of a sample; 0 if unknown
    int width = 0;             ///< as stored, before it is stretched and turned
    int height = 0;
    PixelShape pixel;                 ///< squares where the file says none, or one longer than 10:1
    int orientation = 1;              ///< EXIF's, 1 to 8, of the container's display matrix
    int streams = 1;                  ///< streams of video in the file
    double frames_per_second = 0;     ///< on average; 0 if unknown
    std::int64_t header_frames = 0;   ///< frames by the header; 0 if it does not say
    std::int64_t packets = 0;         ///< of the stream that were read
    std::int64_t hidden_packets = 0;  ///< of those: by an edit list or by the codec, not for display

    friend bool operator==(const VideoFacts&, const VideoFacts&) = default;
};

/// False if frames are stretched to be shown.
bool has_square_pixels(const VideoFacts& facts);

/// The size of the frames as they are shown: stretched, then turned.
Size shown_size(const VideoFacts& facts);

/// A place where decoding can begin: a key frame, with all frames behind it independent of those before.
struct VideoCut {
    std::int64_t frame = 0;       ///< number of the key frame, from 0 in the order of display
    std::int64_t time_stamp = 0;  ///< of the key frame

    friend bool operator==(const VideoCut&, const VideoCut&) = default;
};

/// A place where the time stamps of a video do not go on as its frames do.
struct ClockBreak {
    std::int64_t frame = 0;   ///< number of the first frame behind it
    std::int64_t offset = 0;  ///< what is added to the time stamps from this frame on, up to the next break

    friend bool operator==(const ClockBreak&, const ClockBreak&) = default;
};

/// One stream of a video file, ready to be read frame by frame.
struct VideoSource {
    std::filesystem::path file;
    int stream = 0;                  ///< number in the container
    std::int64_t time_base_num = 1;  ///< a time stamp counts num / den seconds
    std::int64_t time_base_den = 1;
    /// True: packets do not tell frames apart, so the stream was decoded once to count them. A frame is then
    /// found by its number, else by its time stamp.
    bool counted_by_decoding = false;
    std::vector<VideoCut> cuts;      ///< rising; the first is that of frame 0
    std::size_t max_part_bytes = 0;  ///< of the packets between two cuts, the most
    /// In the order of frames; empty where time stamps rise from frame to frame.
    std::vector<ClockBreak> clock_breaks{};
    VideoFacts facts;

    /// The time stamp of a frame on a clock that rises from frame to frame: see clock_breaks_of().
    std::int64_t rising_stamp(std::int64_t number, std::int64_t time_stamp) const;
    /// Seconds of a time stamp, rounded to microseconds.
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

    /// See VideoSource::rising_stamp.
    std::int64_t rising_stamp() const { return video->rising_stamp(number, time_stamp); }
    /// When the frame is shown: later than the frame before.
    double seconds() const { return video->seconds(rising_stamp()); }
};

/// Sums and differences of time stamps wrap around, whatever a file says.
std::int64_t sum_of_stamps(std::int64_t a, std::int64_t b);
std::int64_t difference_of_stamps(std::int64_t a, std::int64_t b);

/// How the clock of a video goes on. All are in time stamps.
struct ClockRules {
    std::int64_t step = 1;      ///< from frame to frame by the frame rate
    std::int64_t max_back = 0;  ///< a time that is so much earlier is a slip of one frame
    std::int64_t max_leap = 0;  ///< a time that is later than expected by more is no time of this clock
};

/// The breaks of a clock: where time goes back or leaps, it goes on by the frame rate, until the file's own
/// clock goes on again. A time that slips back a little is one tick behind the frame before, and changes
/// nothing for those behind it. Source: FFmpeg's ffmpeg, ts_discontinuity_detect().
/// \param stamps of the frames in the order of display
std::vector<ClockBreak> clock_breaks_of(std::span<const std::int64_t> stamps, const ClockRules& rules);

/// "clip.mp4#000123": the name of a frame in results. Numbers have at least six digits.
std::string frame_name(std::string_view video, std::int64_t number);

/// A frame's name in its two parts.
struct FrameName {
    std::string_view video;
    std::int64_t number = 0;
};

/// The reverse of frame_name(); nothing if this is no frame's name: a video's name, '#' and digits. Any name
/// but an image's may be a video's, if there are six digits or more.
std::optional<FrameName> split_frame_name(std::string_view name);

/// Number of the part between two cuts that a frame is in, from 0.
std::size_t part_of_frame(const VideoSource& video, std::int64_t number);

}  // namespace fovea
