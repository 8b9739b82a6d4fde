#include "lib/report/format.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <spdlog/fmt/fmt.h>

namespace fovea::report {
namespace {

constexpr double open_end = 1e6;

/// Length of the valid UTF-8 sequence at the front of `text`, 0 if there is none (RFC 3629: no overlong
/// forms, no surrogates, nothing above U+10FFFF).
std::size_t sequence_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    if (first < 0x80) return 1;
    const std::size_t length = first >= 0xC2 && first <= 0xDF   ? 2
                               : first >= 0xE0 && first <= 0xEF ? 3
                               : first >= 0xF0 && first <= 0xF4 ? 4
                                                                : 0;
    if (length == 0 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0) != 0x80) return 0;
    }
    const unsigned char second = byte(1);
    if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
        (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)) {
        return 0;
    }
    return length;
}

bool is_open(double to) {
    return !std::isfinite(to) || to >= open_end;
}

}  // namespace

std::string fixed(double value, int decimals) {
    if (!std::isfinite(value)) return "–";
    const std::string text = fmt::format("{:.{}f}", value, decimals);
    // "-0.00" would be read as a number below zero.
    return text.find_first_not_of("-0.") == std::string::npos && text[0] == '-' ? text.substr(1) : text;
}

std::string percent(double rate) {
    return std::isfinite(rate) ? fixed(100 * rate, 1) + "\u00A0%" : "–";
}

std::string compact(double value) {
    return std::isfinite(value) ? fmt::format("{:.6g}", value) : "–";
}

std::string exact(double value) {
    // The shortest form of a whole number is without ".0", as in the project's JSON.
    if (std::isfinite(value) && value == std::floor(value) && std::abs(value) < 1e15) {
        return fmt::format("{}", static_cast<long long>(value));
    }
    return fmt::format("{}", value);
}

std::string grouped(long long count) {
    std::string digits = std::to_string(count);
    const std::size_t first = digits[0] == '-' ? 1 : 0;
    for (std::size_t end = digits.size(); end > first + 3; end -= 3) digits.insert(end - 3, ",");
    return digits;
}

std::string counted(long long count, const std::string& noun) {
    if (count == 0) return "no " + noun + "s";
    return grouped(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string count_range(const SliceRate& slice) {
    const auto from = static_cast<long long>(slice.from);
    if (is_open(slice.to)) return fmt::format("≥ {}", from);
    const auto last = static_cast<long long>(slice.to) - 1;
    return last <= from ? fmt::format("{}", from) : fmt::format("{}–{}", from, last);
}

std::string width_range(const SliceRate& slice) {
    if (is_open(slice.to)) return "≥ " + compact(slice.from);
    return compact(slice.from) + "–" + compact(slice.to);
}

std::string valid_utf8(std::string_view text) {
    std::string valid;
    valid.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = sequence_length(text);
        valid += length == 0 ? std::string_view("\uFFFD") : text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return valid;
}

std::string shortened(std::string_view text, std::size_t length) {
    const std::string valid = valid_utf8(text);
    std::vector<std::size_t> starts;
    for (std::size_t i = 0; i < valid.size(); ++i) {
        if ((static_cast<unsigned char>(valid[i]) & 0xC0) != 0x80) starts.push_back(i);
    }
    if (starts.size() <= length || length == 0) return valid;
    const std::size_t head = length / 2;
    const std::size_t tail = length - head - 1;
    const std::size_t tail_start = tail == 0 ? valid.size() : starts[starts.size() - tail];
    return valid.substr(0, starts[head]) + "…" + valid.substr(tail_start);
}

std::vector<std::string> display_names(const std::vector<DetectionEvaluation>& evaluations) {
    std::vector<std::string> names;
    std::set<std::string> used;
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        const std::string& given = evaluations[i].name;
        const std::string wanted = given.empty() ? fmt::format("detector {}", i + 1) : valid_utf8(given);
        std::string name = wanted;
        for (int n = 2; !used.insert(name).second; ++n) name = fmt::format("{} ({})", wanted, n);
        names.push_back(name);
    }
    return names;
}

Interval wilson_interval(int hits, int trials) {
    if (trials <= 0) return {0, 1};
    constexpr double z = 1.959963984540054;  // two-sided 95 % of the normal distribution
    const double n = trials;
    const double p = hits / n;
    const double centre = (p + z * z / (2 * n)) / (1 + z * z / n);
    const double half = z / (1 + z * z / n) * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n));
    return {hits == 0 ? 0.0 : std::max(0.0, centre - half),
            hits == trials ? 1.0 : std::min(1.0, centre + half)};
}

}  // namespace fovea::report
