#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

// How files of others spell numbers and marks: lib/dataset/README.md has the rule.
namespace fovea {

/// A finite decimal number with nothing around it; it may begin with '+'.
std::optional<double> spelled_number(std::string_view text);

/// A whole number however it is written: 1, +1, 001, 1.0, 1e0. Nothing for other texts and numbers out of
/// range.
std::optional<std::int64_t> spelled_whole(std::string_view text,
                                          std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                                          std::int64_t most = std::numeric_limits<std::int64_t>::max());

/// The same of a number that was read already. From 2^53 on a double does not tell whole numbers apart.
std::optional<std::int64_t> whole_of(double number);

/// A mark that is set or not: the numbers 1 and 0, true and false, yes and no, in either case.
std::optional<bool> spelled_mark(std::string_view text);

/// Their names in messages.
inline constexpr std::string_view mark_spellings = "0 or 1, true or false, yes or no";

/// The text with its ASCII letters in lower case; other bytes stay.
std::string lower_case(std::string_view text);

/// \param lower_case_end ".txt"
bool ends_with_any_case(std::string_view text, std::string_view lower_case_end);

}  // namespace fovea
