#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

// Numbers and marks as files of others spell them: lib/dataset/README.md has the rule.
namespace fovea {

/// Reads a finite decimal number with nothing around it; it may begin with '+'. -0 becomes 0.
std::optional<double> spelled_number(std::string_view text);

/// Reads a whole number however it is written: 1, +1, 001, 1.0, 1e0. Nothing for other texts and for numbers
/// below `least` or above `most`.
std::optional<std::int64_t> spelled_whole(std::string_view text,
                                          std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                                          std::int64_t most = std::numeric_limits<std::int64_t>::max());

/// A whole number that was read as a double; nothing for others, and beyond 2^53, where doubles do not tell
/// whole numbers apart.
std::optional<std::int64_t> whole_of(double number);

/// Reads a mark that is set or not: the numbers 1 and 0, true and false, yes and no, in either case.
std::optional<bool> spelled_mark(std::string_view text);

/// The spellings of a mark, for messages.
inline constexpr std::string_view mark_spellings = "0 or 1, true or false, yes or no";

/// The text with its ASCII letters in lower case; other bytes stay.
std::string lower_case(std::string_view text);

/// True if a text ends so, in either case. \param lower_case_end in lower case: ".txt".
bool ends_with_any_case(std::string_view text, std::string_view lower_case_end);

}  // namespace fovea
