#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lib/inputs/image_list.hpp"

namespace fovea {

/// Frames that follow each other: the frames of one video in a list, or the pictures of one folder.
struct FrameSequence {
    /// The video's in the list, or the folder's; empty for the list's own folder.
    std::string name;
    std::size_t first = 0;  ///< in the list
    std::size_t count = 0;
};

/// The sequences of a list, in its order. \throws UsageError if the frames of one sequence stand apart in
/// the list.
std::vector<FrameSequence> sequences_of(const ImageList& images);

/// The beginnings of the names of the sequences' own files: crop_stems() of their names.
std::vector<std::string> sequence_stems(std::vector<std::string> names);

}  // namespace fovea
