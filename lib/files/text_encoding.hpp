#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fovea {

/// Converts a text to UTF-8 with the line ends that readers know.
///
/// A byte order mark of UTF-8, UTF-16 or UTF-32 says which encoding it is, and is dropped. XML and JSON,
/// which begin with '<', '{' or '[', need no mark. Bytes of other texts stay as they are, whether UTF-8 or
/// not. If all line ends are CR, as old spreadsheets write, they become LF.
/// \return nothing if UTF-16 or UTF-32 is broken: half a character, or one that does not exist.
std::optional<std::string> text_as_utf8(std::string bytes);

/// Converts the beginning of a text as text_as_utf8() does, up to the first half or broken character.
std::string head_as_utf8(std::string bytes);

/// Converts a whole file as text_as_utf8() does. \throws Error naming the file if its encoding is broken.
std::string file_text_as_utf8(std::string bytes, const std::string& file);

/// Converts Windows' code page 1252 to UTF-8. It equals ISO-8859-1 but for control characters 0x80 to 0x9F.
std::string windows_1252_as_utf8(std::string_view bytes);

}  // namespace fovea
