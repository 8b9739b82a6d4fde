#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fovea::test {

/// A frame as FFmpeg's decoder gives it with one thread, from the beginning of the file on.
struct ReferenceFrame {
    std::optional<std::int64_t> time_stamp;  ///< FFmpeg's best guess
    double seconds = 0;                      ///< of the time stamp
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> pixels;  ///< grey, not turned; empty if not asked for
};

/// Decodes a whole stream in the plainest way, with nothing of lib/video. Grey is computed in double: more
/// than 8 bits are rounded to 8, limited range is (Y - 16) * 255 / 219, rounded and clamped.
/// \param stream  number in the container; nothing: the best one. \param pixel_step  frames with pixels:
/// those whose number it divides; 0 = none. \param options  of the container. \throws std::runtime_error
std::vector<ReferenceFrame> reference_frames(
    const std::filesystem::path& file, std::optional<int> stream = {}, std::size_t pixel_step = 1,
    const std::vector<std::pair<std::string, std::string>>& options = {});

}  // namespace fovea::test
