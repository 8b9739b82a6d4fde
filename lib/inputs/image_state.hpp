#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/inputs/image_list_data.hpp"

namespace fovea {

/// The marks by which two lists tell whether an image has changed between them.
struct ImageState {
    std::uint64_t size = 0;
    /// The time of the file, of the packed archive or of the video; the checksum of a header in a .tar file.
    std::int64_t mark = 0;
    std::uint64_t content = 0;  ///< FileMark::content
};

/// \param data with marks
ImageState state_of(const ImageListData& data, std::size_t i);

/// True if size and mark are equal. \param by_content the bytes count instead; they are changed where they
/// are known of one alone. Those of videos are never known.
bool is_unchanged(const ImageState& before, const ImageState& now, bool by_content);

}  // namespace fovea
