#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fovea {

/// The known name that is nearest to a mistyped one; nothing if more than a third of its letters (but at
/// least one) would have to be edited.
///
/// The edit distance counts inserted, deleted and replaced letters and swapped neighbours; upper and lower
/// case are equal, as are '-' and '_'. The first name wins a tie.
std::optional<std::string> nearest_name(std::string_view mistyped, std::span<const std::string> known);

/// " (did you mean 'NAME'?)" for an error message, or nothing if no name is near.
std::string did_you_mean(std::string_view mistyped, std::span<const std::string> known);

}  // namespace fovea
