#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "lib/dataset/text_file.hpp"

namespace fovea {

/// The numbers of a video's annotated frames, from 1, rising.
using FrameNumbers = std::vector<std::size_t>;

/// Reads the comment of a file of tracks that says which frames somebody has annotated, e.g.
/// `# annotated frames: 1-171 every 5, 300-320, 400`. Nothing if the file has no such comment.
/// \param most the largest number that a frame may have.
/// \throws Error naming file and line if it is broken, or stands twice.
std::optional<FrameNumbers> read_annotated_frames(const TextFile& file, std::size_t most);

/// The comment, without a line's end. \param frames at least one.
std::string annotated_frames_comment(const FrameNumbers& frames);

}  // namespace fovea
