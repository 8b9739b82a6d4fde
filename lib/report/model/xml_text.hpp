#pragma once

#include <string>
#include <string_view>

namespace fovea::report {

/// Text as XML and HTML may hold it: bytes that are not valid UTF-8, control characters other than tab and
/// line breaks, U+FFFE and U+FFFF become U+FFFD.
std::string xml_text(std::string_view text);

/// xml_text() made safe for element content and quoted attribute values: & < > " ' become entities.
std::string escape_html(std::string_view text);

}  // namespace fovea::report
