#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "lib/image/formats/bytes.hpp"

namespace fovea {

/// True if the last part of a file's name has no dot.
bool has_no_extension(std::string_view name);

/// The kind of a file by its first bytes.
enum class FileContent { other, image, video };

/// The number of a file's first bytes that content_of() needs.
constexpr std::size_t media_head_bytes = 512;

/// The kind of a file that begins with these bytes. Formats whose first bytes are letters (PNM, BMP) are also
/// checked further on, so that no text is taken for an image. \param head the first media_head_bytes of the
/// file, or all.
FileContent content_of(codec::Bytes head);

/// The kind of a file; `other` if it cannot be read, or is no regular file. \throws ShortageError
FileContent content_of(const std::filesystem::path& file);

/// True for an image whose name has no extension.
inline bool is_unnamed_image(std::string_view name, FileContent content) {
    return content == FileContent::image && has_no_extension(name);
}

}  // namespace fovea
