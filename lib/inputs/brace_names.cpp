#include "lib/inputs/brace_names.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

#include "lib/core/error.hpp"
#include "lib/files/folder.hpp"

namespace fovea {
namespace {

constexpr std::size_t max_names = 10'000'000;

std::optional<std::uint64_t> number_in_braces(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// The texts that a pattern between braces means; none if it is no pattern.
std::vector<std::string> alternatives(std::string_view text) {
    std::vector<std::string> all;
    if (const std::size_t dots = text.find(".."); dots != std::string_view::npos) {
        const auto first = number_in_braces(text.substr(0, dots)),
                   last = number_in_braces(text.substr(dots + 2));
        if (!first || !last || *last < *first) return {};
        if (*last - *first >= max_names)
            throw UsageError("'{" + std::string(text) +
                             "}' means more names than are read; give parts of them");
        for (std::uint64_t i = 0; i <= *last - *first; ++i) {
            std::string digits = std::to_string(*first + i);
            digits.insert(0, digits.size() < dots ? dots - digits.size() : 0, '0');
            all.push_back(std::move(digits));
        }
        return all;
    }
    if (text.find(',') == std::string_view::npos) return {};
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        all.emplace_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return all;
}

void expand(const std::string& before, std::string_view rest, std::vector<std::string>& names) {
    for (std::size_t open = rest.find('{'); open != std::string_view::npos; open = rest.find('{', open + 1)) {
        const std::size_t close = rest.find('}', open);
        if (close == std::string_view::npos) break;
        const std::vector<std::string> all = alternatives(rest.substr(open + 1, close - open - 1));
        if (all.empty()) continue;
        for (const std::string& text : all)
            expand(before + std::string(rest.substr(0, open)) + text, rest.substr(close + 1), names);
        return;
    }
    if (names.size() == max_names)
        throw UsageError("the braces mean more names than are read; give parts of them");
    names.push_back(before + std::string(rest));
}

}  // namespace

std::vector<std::string> expand_braces(const std::string& name) {
    if (name.find('{') == std::string::npos || is_there(name)) return {name};
    std::vector<std::string> names;
    expand({}, name, names);
    return names;
}

}  // namespace fovea
