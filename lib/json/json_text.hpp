#pragma once

#include <string>
#include <string_view>

#include "lib/json/json.hpp"

namespace fovea {

/// How deep lists and objects may lie in one another. nlohmann/json copies, compares and writes values by
/// recursion: text of a few hundred kilobytes, all brackets, would use up the stack.
inline constexpr int deepest_json = 256;

/// The value of a JSON text that others wrote.
/// \throws Json::parse_error, with the byte (from 1) at which it goes wrong, if the text is no JSON, if it
/// nests deeper than deepest_json, or if one of its numbers is too large for a double; what `callback`, as
/// Json::parse takes it, throws.
Json parse_json(std::string_view text, const Json::parser_callback_t& callback = nullptr);

/// The value of a JSON file. \param advice what to do if it is none: "fetch or train it again".
/// \throws Error "FILE:LINE: cannot read 'TEXT': expected well-formed JSON; ADVICE".
Json parse_json_file(const std::string& file, std::string_view text, const std::string& advice);

/// A value as text of several lines, two blanks a level. Bytes that are not UTF-8, as names of files may
/// hold, are replaced; characters of is_control() become \u escapes, as the text may come to a terminal.
std::string indented_text(const Json& json);

/// The same as text of one line.
std::string compact_text(const Json& json);

}  // namespace fovea
