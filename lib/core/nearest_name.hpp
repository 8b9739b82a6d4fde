#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fovea {

/// The name that a mistyped one was most likely meant to be.
///
/// Nearest by edit distance (insert, delete, replace, swap of neighbours; upper and lower case, '-' and '_'
/// count as equal); the first one wins a tie. Empty if none is closer than about a third of the name's
/// length.
std::optional<std::string> nearest_name(std::string_view mistyped, std::span<const std::string> known);

/// " (did you mean 'NAME'?)" for an error message, or nothing if no name is near.
std::string did_you_mean(std::string_view mistyped, std::span<const std::string> known);

}  // namespace fovea
