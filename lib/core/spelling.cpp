#include "lib/core/spelling.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace fovea {
namespace {

char lower_of(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

bool equals_any_case(std::string_view text, std::string_view lower_case) {
    return text.size() == lower_case.size() && ends_with_any_case(text, lower_case);
}

}  // namespace

std::optional<double> spelled_number(std::string_view text) {
    if (text.starts_with('+') && !text.substr(1).starts_with('-')) text.remove_prefix(1);
    double number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    // from_chars takes "nan" and "inf".
    if (error != std::errc() || stop != end || !std::isfinite(number)) return std::nullopt;
    return number + 0.0;  // -0 becomes 0: it would be another text in a results file
}

std::optional<std::int64_t> whole_of(double number) {
    constexpr double largest = 9007199254740992;  // 2^53
    if (number != std::floor(number) || std::abs(number) > largest) return std::nullopt;
    return static_cast<std::int64_t>(number);
}

std::optional<std::int64_t> spelled_whole(std::string_view text, std::int64_t least, std::int64_t most) {
    std::int64_t whole = 0;
    const std::size_t sign = text.starts_with('+') && !text.substr(1).starts_with('-') ? 1 : 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + sign, end, whole);
    if (error != std::errc() || stop != end) {
        const std::optional<double> number = spelled_number(text);
        const std::optional<std::int64_t> found = number ? whole_of(*number) : std::nullopt;
        if (!found) return std::nullopt;
        whole = *found;
    }
    if (whole < least || whole > most) return std::nullopt;
    return whole;
}

std::optional<bool> spelled_mark(std::string_view text) {
    if (const auto number = spelled_whole(text, 0, 1)) return *number == 1;
    if (equals_any_case(text, "true") || equals_any_case(text, "yes")) return true;
    if (equals_any_case(text, "false") || equals_any_case(text, "no")) return false;
    return std::nullopt;
}

std::string lower_case(std::string_view text) {
    std::string lower(text);
    for (char& c : lower) c = lower_of(c);
    return lower;
}

bool ends_with_any_case(std::string_view text, std::string_view lower_case_end) {
    if (text.size() < lower_case_end.size()) return false;
    const std::string_view tail = text.substr(text.size() - lower_case_end.size());
    return std::equal(tail.begin(), tail.end(), lower_case_end.begin(),
                      [](char a, char b) { return lower_of(a) == b; });
}

}  // namespace fovea
