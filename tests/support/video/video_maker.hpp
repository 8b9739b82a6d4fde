#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fovea::test {

/// One stream of a made video. Its frames show a pattern that moves, so that no two are alike; the same plan
/// gives the same frames everywhere.
struct VideoPlan {
    using Options = std::vector<std::pair<std::string, std::string>>;

    std::string encoder = "libx264";  ///< FFmpeg's name
    int width = 64;
    int height = 48;
    int frames = 50;
    int frames_per_second = 25;
    std::string pixel_format = "yuv420p";
    bool is_full_range = false;
    bool is_interlaced = false;
    int gop = 10;
    int b_frames = 0;
    bool has_two_passes = false;                        ///< VP8 has alternate reference frames then alone
    Options options;                                    ///< of the encoder
    std::vector<std::int64_t> times_ms;                 ///< of each frame; empty: an even rate from 0 on
    std::optional<std::array<std::int32_t, 9>> matrix;  ///< for display, 16.16 as in ISO/IEC 14496-12
    std::array<int, 2> sample_aspect{0, 1};             ///< of codec and container; 0:1 = not written
    /// From this frame on, frames have the other size; 0: all have the first. For codecs that state sizes in
    /// their key frames.
    int resized_from = 0;
    int resized_width = 0;
    int resized_height = 0;
    /// False for packets that are left out, numbered from 0 in the order of coding.
    std::function<bool(int number)> keeps_packet;
};

/// A stream of sound: a tone that rises, so that no two packets are alike.
struct SoundPlan {
    std::string encoder = "aac";  ///< FFmpeg's name
    int channels = 1;
    double from_seconds = 0;
    double to_seconds = 2;
    std::string language{};
};

/// Streams and facts that are written beside the frames.
struct ContainerPlan {
    VideoPlan::Options options{};  ///< of the muxer
    std::string muxer{};           ///< FFmpeg's name; empty: by the file's name
    bool has_audio = false;        ///< silence as PCM
    std::vector<SoundPlan> sound{};
};

/// True if FFmpeg has the encoder.
bool has_encoder(const std::string& name);

/// Encodes the streams, with FFmpeg, into a file. \throws std::runtime_error
void make_video(const std::filesystem::path& file, const std::vector<VideoPlan>& streams,
                const ContainerPlan& container = {});
inline void make_video(const std::filesystem::path& file, const VideoPlan& stream,
                       const ContainerPlan& container = {}) {
    make_video(file, std::vector<VideoPlan>{stream}, container);
}

/// Luma of the pattern, 0 to 255.
int pattern_at(int x, int y, int frame);

}  // namespace fovea::test
