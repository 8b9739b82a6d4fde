#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "lib/image/formats/bytes.hpp"

namespace fovea {

/// True if the name of a file says nothing of its format: its last part has no dot.
bool has_no_extension(std::string_view name);

/// The kind of a file by its first bytes.
enum class FileContent { other, image, video };

/// Enough of a file's bytes for content_of().
constexpr std::size_t media_head_bytes = 512;

/// The kind of a file that begins with these bytes. No text is an image by chance: formats whose first bytes
/// are letters alone (PNM, BMP) must go on as they do. \param head the first media_head_bytes of the file, or
/// all.
FileContent content_of(codec::Bytes head);

/// The same for a file; `other` if it cannot be read, or is no regular file. \throws ShortageError
FileContent content_of(const std::filesystem::path& file);

/// True for an image whose name says nothing of its format.
inline bool is_unnamed_image(std::string_view name, FileContent content) {
    return content == FileContent::image && has_no_extension(name);
}

}  // namespace fovea
