#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fovea {

/// A text as UTF-8 with the line ends that readers know.
///
/// A byte order mark of UTF-8, UTF-16 or UTF-32 says what the text is in, and is dropped. XML and JSON begin
/// with an ASCII character, so that they tell UTF-16 and UTF-32 without a mark, too. Bytes of other texts
/// stay as they are. Line ends that are all CR, as old spreadsheets write, become LF. \return nothing for
/// UTF-16 and UTF-32 that is broken: half a character, or one that does not exist.
std::optional<std::string> text_as_utf8(std::string bytes);

/// The same of the beginning of a text, which may end within a character.
std::string head_as_utf8(std::string bytes);

/// The same of a whole file. \throws Error naming the file if its encoding is broken.
std::string file_text_as_utf8(std::string bytes, const std::string& file);

/// Windows' code page 1252, of which ISO-8859-1 is a part but for control characters, as UTF-8.
std::string windows_1252_as_utf8(std::string_view bytes);

}  // namespace fovea
