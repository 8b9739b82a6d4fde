#include "lib/core/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <sstream>

#include "lib/core/special_characters.hpp"

namespace fovea {
namespace {

constexpr std::string_view blanks = " \t\r\v\f";

std::string hex_byte(char c) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    const auto value = static_cast<unsigned char>(c);
    return {'\\', 'x', digits[value >> 4], digits[value & 15]};
}

}  // namespace

Utf8Piece utf8_piece(std::string_view text) {
    if (text.empty()) return {};
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    if (first < 0x80) return {1, true};
    const std::size_t wanted = first >= 0xC2 && first <= 0xDF   ? 2
                               : first >= 0xE0 && first <= 0xEF ? 3
                               : first >= 0xF0 && first <= 0xF4 ? 4
                                                                : 0;
    if (wanted == 0) return {1, false};
    // The second byte's range excludes overlong forms, surrogates and what lies above U+10FFFF.
    const unsigned char lowest = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    const unsigned char highest = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    std::size_t length = 1;
    while (length < wanted && length < text.size()) {
        const unsigned char from = length == 1 ? lowest : 0x80;
        const unsigned char to = length == 1 ? highest : 0xBF;
        if (byte(length) < from || byte(length) > to) break;
        ++length;
    }
    return {length, length == wanted};
}

bool is_utf8(std::string_view text) {
    // Most names are ASCII, and millions of them are looked at.
    while (!text.empty()) {
        const auto ascii = std::find_if(text.begin(), text.end(), [](char c) { return (c & 0x80) != 0; });
        text.remove_prefix(static_cast<std::size_t>(ascii - text.begin()));
        if (text.empty()) return true;
        const Utf8Piece piece = utf8_piece(text);
        if (!piece.valid) return false;
        text.remove_prefix(piece.length);
    }
    return true;
}

std::string valid_utf8(std::string_view text) {
    std::string valid;
    valid.reserve(text.size());
    while (!text.empty()) {
        const Utf8Piece piece = utf8_piece(text);
        valid += piece.valid ? text.substr(0, piece.length) : std::string_view("\uFFFD");
        text.remove_prefix(piece.length);
    }
    return valid;
}

std::string_view trim(std::string_view text) {
    const std::size_t start = text.find_first_not_of(blanks);
    if (start == std::string_view::npos) return {};
    return text.substr(start, text.find_last_not_of(blanks) - start + 1);
}

int line_at(std::string_view text, std::size_t offset) {
    const std::string_view before = text.substr(0, std::min(offset, text.size()));
    return 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
}

std::string excerpt(std::string_view text, std::size_t longest) {
    std::string shown;
    for (std::size_t i = 0; i < text.size();) {
        const Utf8Piece piece = utf8_piece(text.substr(i));
        if (i + piece.length > longest) return shown + "...";
        const std::string_view bytes = text.substr(i, piece.length);
        if (bytes == "\t") {
            shown += "\\t";
        } else if (!piece.valid || is_control(bytes)) {
            for (const char c : bytes) shown += hex_byte(c);
        } else {
            shown += bytes;
        }
        i += piece.length;
    }
    return shown;
}

std::string pluralise(long long count, std::string_view singular, std::string_view plural) {
    if (count == 1) return std::string(singular);
    return plural.empty() ? std::string(singular) + "s" : std::string(plural);
}

std::string counted(std::size_t count, std::string_view singular, std::string_view plural) {
    return std::to_string(count) + " " + pluralise(static_cast<long long>(count), singular, plural);
}

void add_counted(std::vector<std::string>& sentences, std::size_t count, std::string_view noun,
                 std::string_view for_one, std::string_view for_more) {
    if (count > 0) sentences.push_back(counted(count, noun).append(count == 1 ? for_one : for_more));
}

std::string binary_size(std::uint64_t bytes) {
    constexpr std::array units = {"KiB", "MiB", "GiB", "TiB", "PiB"};
    double value = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    while (value >= 1024 && unit + 1 < units.size()) {
        value /= 1024;
        ++unit;
    }
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.1f %s", value, units[unit]);
    return text.data();
}

std::string grouped(long long count) {
    std::string digits = std::to_string(count);
    const std::size_t first = digits[0] == '-' ? 1 : 0;
    for (std::size_t end = digits.size(); end > first + 3; end -= 3) digits.insert(end - 3, ",");
    return digits;
}

std::string number_of(long long count, std::string_view noun) {
    return (count == 0 ? "no" : grouped(count)) + " " + pluralise(count, noun);
}

std::string shortest_number(double value) {
    char digits[32];
    // Above 2^53 not every integer is a double: the shortest form says the same with fewer digits.
    constexpr double exact_integers = 9007199254740992.0;
    const bool whole = value == std::trunc(value) && std::abs(value) <= exact_integers;
    const auto end = whole ? std::to_chars(digits, digits + sizeof digits, static_cast<std::int64_t>(value))
                           : std::to_chars(digits, digits + sizeof digits, value);
    return {digits, end.ptr};
}

std::size_t character_count(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::vector<std::string> wrapped_lines(std::string_view text, std::size_t width) {
    std::vector<std::string> lines;
    std::istringstream given{std::string(text)};
    for (std::string line; std::getline(given, line);) {
        lines.emplace_back();
        std::istringstream words(line);
        for (std::string word; words >> word;) {
            std::string& last = lines.back();
            if (last.empty()) {
                last = word;
            } else if (width == 0 || character_count(last) + 1 + character_count(word) <= width) {
                last += " " + word;
            } else {
                lines.push_back(word);
            }
        }
    }
    return lines;
}

}  // namespace fovea
