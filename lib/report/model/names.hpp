#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/numbers/number_text.hpp"

namespace fovea::report {

/// Names as people read them. Independent of the locale.

/// At most `length` characters: the middle of a longer text becomes "…", as both ends of file names tell
/// them apart.
std::string shortened(std::string_view text, std::size_t length);

/// The title of a report if the user gave none: "Face detection on mit-cmu" if `what` is "Face detection";
/// `what` alone if the dataset has no name. \param dataset its name or specification.
std::string default_title(const std::string& what, const std::string& dataset);

/// Names for legends, made unique: "detector 2" for an empty one if `noun` is "detector", "name (2)" for a
/// repeated one.
std::vector<std::string> unique_names(const std::vector<std::string>& given, const std::string& noun);

}  // namespace fovea::report
