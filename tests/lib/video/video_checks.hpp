#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/video/index_video.hpp"
#include "lib/video/video_frames.hpp"
#include "tests/support/video/reference_frames.hpp"

namespace fovea::test {

/// The frame of a listed video.
VideoFrame frame_of(const VideoIndex& index, std::size_t number);

/// Time stamps of all frames, and their seconds, are the reference's, and the times shown rise.
void check_times(const VideoIndex& index, const std::vector<ReferenceFrame>& reference);

/// Numbers of those of `numbers` that a fresh VideoFrames gives otherwise than the reference, or not at all.
std::vector<std::size_t> wrong_frames(const VideoIndex& index, const std::vector<ReferenceFrame>& reference,
                                      const std::vector<std::size_t>& numbers, int threads = 1);

/// 0, step, 2 step, ... below `count`.
std::vector<std::size_t> every(std::size_t step, std::size_t count, std::size_t first = 0);

/// Lists a video and reads it in every way: all frames with 1 and 2 threads, every 7th, from each part on,
/// and parts alone from the last to the first; all must be the reference's. \return the list
VideoIndex check_video(const std::filesystem::path& file, std::optional<int> stream = {});

/// The words of the VideoError that `act` throws; "" if it throws nothing.
std::string refusal_of(const std::function<void()>& act);

/// Why a video cannot be listed; "" if it can.
std::string refusal_of(const std::filesystem::path& file);

}  // namespace fovea::test
