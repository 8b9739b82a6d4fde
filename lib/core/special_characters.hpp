#pragma once

#include <string>
#include <string_view>

namespace fovea {

/// True for a character that changes how the text around it is shown:
/// - a control character, U+0080 to U+009F included: terminals take U+009B for ESC [;
/// - a separator of lines or paragraphs: U+2028, U+2029;
/// - a mark of writing direction, which can make a name look like another one: U+061C, U+200E, U+200F, U+202A
///   to U+202E, U+2066 to U+2069.
/// \param character one character of valid UTF-8.
bool is_control(std::string_view character);

/// The text for XML and HTML: & < > " become entities, and so do the characters of `others`, by their
/// numbers: a tab becomes &#9;. \param others of ASCII.
std::string escape_markup(std::string_view text, std::string_view others);

}  // namespace fovea
