#include "lib/core/natural_order.hpp"

#include <algorithm>
#include <cstddef>

namespace fovea {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

int byte_rank(char c) {
    return c == '/' ? 0 : static_cast<unsigned char>(c);
}

/// The digits from `start` on without leading zeros; `end` becomes the position after the run.
std::string_view significant_digits(std::string_view text, std::size_t start, std::size_t& end) {
    while (start < text.size() && text[start] == '0') ++start;
    end = start;
    while (end < text.size() && is_digit(text[end])) ++end;
    return text.substr(start, end - start);
}

}  // namespace

int natural_compare_values(std::string_view a, std::string_view b) {
    // The common beginning is equal, but for a number that it may end within.
    auto i = static_cast<std::size_t>(
        std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())),
                      b.begin())
            .first -
        a.begin());
    while (i > 0 && is_digit(a[i - 1])) --i;
    std::size_t j = i;
    while (i < a.size() && j < b.size()) {
        if (is_digit(a[i]) && is_digit(b[j])) {
            // Compared as text, so that numbers of any length work.
            const std::string_view x = significant_digits(a, i, i);
            const std::string_view y = significant_digits(b, j, j);
            if (x.size() != y.size()) return x.size() < y.size() ? -1 : 1;
            if (const int order = x.compare(y); order != 0) return order;
        } else {
            if (const int order = byte_rank(a[i]) - byte_rank(b[j]); order != 0) return order;
            ++i;
            ++j;
        }
    }
    if (i < a.size()) return 1;
    return j < b.size() ? -1 : 0;
}

int natural_compare(std::string_view a, std::string_view b) {
    const int order = natural_compare_values(a, b);
    return order != 0 ? order : a.compare(b);
}

}  // namespace fovea
