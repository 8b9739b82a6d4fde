#pragma once

#include <cstddef>
#include <filesystem>

namespace fovea {

/// Writes the best stream of a video `times` times in a row into a new file, for measurements: with rising
/// time stamps, not encoded anew. The new name's extension gives the container. \return the number of
/// packets written.
/// \throws VideoError if the video cannot be read, or the container does not take it; Error if the file
/// cannot be written.
std::size_t repeat_video(const std::filesystem::path& from, const std::filesystem::path& to, int times);

}  // namespace fovea
