#pragma once

#include <string_view>

namespace fovea {

/// True for a character that does what no text may do where it is shown: a control character (U+0080 to
/// U+009F, too, as terminals obey U+009B as they do ESC [), a separator of lines or paragraphs (U+2028,
/// U+2029), or a mark that turns the direction of the text around it, by which a name shows as another one
/// (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069). \param character one of valid UTF-8.
bool is_control(std::string_view character);

}  // namespace fovea
