#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace fovea::test {

std::string read_file_bytes(const std::filesystem::path& file);

/// Bytes of an MP4 file with another first edit: what comes before `skipped` (in the track's clock, behind
/// what the edit skips already) is left out, and it lasts `duration` (in the movie's clock; 0 = as before).
std::string with_edit(std::string mp4, std::uint32_t skipped, std::uint32_t duration);

/// Bytes of a QuickTime file with the movie alone: its samples are in another file, at an absolute path.
std::string with_samples_elsewhere(const std::string& mov, const std::filesystem::path& samples);

/// Bytes of an MP4 file whose tracks say that they have so many samples, all of 16 bytes and in one place.
/// \param tracks of the file, all alike
std::string with_samples(const std::string& mp4, std::uint32_t samples, int tracks = 1);

}  // namespace fovea::test
