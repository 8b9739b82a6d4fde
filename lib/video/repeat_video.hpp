#pragma once

#include <cstddef>
#include <filesystem>

namespace fovea {

/// Writes the best stream of a video several times in a row into a new file, with rising time stamps and
/// without encoding it anew; the container follows from the new name. For measurements. \return the number of
/// packets written. \throws VideoError if the video cannot be read, or the container does not take it; Error
/// if it cannot be written.
std::size_t repeat_video(const std::filesystem::path& from, const std::filesystem::path& to, int times);

}  // namespace fovea
