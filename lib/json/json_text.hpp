#pragma once

#include <string>
#include <string_view>

#include "lib/json/json.hpp"

namespace fovea {

/// The most levels to which lists and objects may nest. nlohmann/json copies, compares and writes values by
/// recursion: a few hundred kilobytes of brackets would use up the stack.
inline constexpr int deepest_json = 256;

/// Parses JSON that others wrote. \param callback as of Json::parse(); its exceptions pass through.
/// \throws Json::parse_error, with the byte (from 1) of the error, if the text is no JSON, nests deeper than
/// deepest_json, or has a number that is too large for a double.
Json parse_json(std::string_view text, const Json::parser_callback_t& callback = nullptr);

/// Parses a JSON file. \param advice what to do if it is no JSON: "fetch or train it again".
/// \throws Error "FILE:LINE: cannot read 'TEXT': expected well-formed JSON; ADVICE".
Json parse_json_file(const std::string& file, std::string_view text, const std::string& advice);

/// A value as text of several lines, indented by two blanks a level. Bytes that are not UTF-8, as in names of
/// files, are replaced; characters of is_control() become \u escapes, as terminals may show the text.
std::string indented_text(const Json& json);

/// A value as text of one line; bytes as in indented_text().
std::string compact_text(const Json& json);

}  // namespace fovea
