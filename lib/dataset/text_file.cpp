#include "lib/dataset/text_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "lib/core/error.hpp"
#include "lib/core/spelling.hpp"
#include "lib/files/file.hpp"
#include "lib/files/text_encoding.hpp"

namespace fovea {
namespace {

constexpr double largest_coordinate = 1e7;
constexpr std::string_view blanks = " \t\r\v\f";

std::string percent_byte(char c) {
    char digits[4];
    std::snprintf(digits, sizeof digits, "%%%02X", static_cast<unsigned>(static_cast<unsigned char>(c)));
    return digits;
}

}  // namespace

TextFile TextFile::read(const std::filesystem::path& path) {
    return {path.string(), read_file(path)};
}

TextFile::TextFile(std::string name, std::string text)
    : name_(std::move(name)), text_(file_text_as_utf8(std::move(text), name_)) {}

std::vector<TextLine> TextFile::content_lines() const {
    std::vector<TextLine> lines;
    for_each_content_line([&](const TextLine& line) { lines.push_back(line); });
    return lines;
}

void TextFile::fail(const TextLine& line, const std::string& expected) const {
    throw_line_error(name_, line.number, line.text, expected);
}

std::vector<std::string_view> split_fields(std::string_view line) {
    std::vector<std::string_view> fields;
    for (std::size_t start = line.find_first_not_of(blanks); start != std::string_view::npos;) {
        const std::size_t end = std::min(line.find_first_of(blanks, start), line.size());
        fields.push_back(line.substr(start, end - start));
        start = line.find_first_not_of(blanks, end);
    }
    return fields;
}

std::vector<std::string_view> split_columns(std::string_view line) {
    if (line.find(',') == std::string_view::npos) return split_fields(line);
    std::vector<std::string_view> columns;
    for (std::size_t start = 0; start <= line.size();) {
        const std::size_t end = std::min(line.find(',', start), line.size());
        columns.push_back(trim(line.substr(start, end - start)));
        start = end + 1;
    }
    while (!columns.empty() && columns.back().empty()) columns.pop_back();
    return columns;
}

std::vector<std::string> split_list(std::string_view text, char separator) {
    std::vector<std::string> parts;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = std::min(text.find(separator, start), text.size());
        parts.emplace_back(trim(text.substr(start, end - start)));
        start = end + 1;
    }
    return parts;
}

std::optional<double> parse_pixels(std::string_view text) {
    const std::optional<double> value = spelled_number(text);
    return value && std::abs(*value) <= largest_coordinate ? value : std::nullopt;
}

std::optional<std::size_t> parse_numbers(std::string_view line, std::span<double> numbers) {
    std::size_t count = 0;
    for (std::size_t start = line.find_first_not_of(blanks); start != std::string_view::npos;) {
        if (count == numbers.size()) return std::nullopt;
        const bool has_plus = line[start] == '+' && start + 1 < line.size() && line[start + 1] != '-';
        const char* const end = line.data() + line.size();
        const auto [stop, error] =
            std::from_chars(line.data() + start + (has_plus ? 1 : 0), end, numbers[count]);
        if (error != std::errc() || !std::isfinite(numbers[count])) return std::nullopt;
        const auto behind = static_cast<std::size_t>(stop - line.data());
        if (behind < line.size() && blanks.find(line[behind]) == std::string_view::npos) return std::nullopt;
        numbers[count++] += 0.0;
        start = line.find_first_not_of(blanks, behind);
    }
    return count;
}

bool parse_pixels(std::string_view line, std::span<double> numbers) {
    return parse_numbers(line, numbers) == numbers.size() &&
           std::all_of(numbers.begin(), numbers.end(),
                       [](double number) { return std::abs(number) <= largest_coordinate; });
}

bool parse_pixels(std::span<const std::string_view> fields, std::span<double> numbers) {
    if (fields.size() < numbers.size()) return false;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const std::optional<double> number = parse_pixels(fields[i]);
        if (!number) return false;
        numbers[i] = *number;
    }
    return true;
}

void throw_line_error(const std::string& file, int line, std::string_view text, const std::string& expected) {
    throw Error(file + ":" + std::to_string(line) + ": cannot read '" + excerpt(text) + "': expected " +
                expected);
}

std::string to_utf8(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const Utf8Piece piece = utf8_piece(text);
        const std::string_view bytes = text.substr(0, piece.length);
        if (piece.valid) {
            result += bytes;
        } else {
            for (const char c : bytes) result += percent_byte(c);
        }
        text.remove_prefix(piece.length);
    }
    return result;
}

std::string require_utf8(const std::string& text) {
    if (!is_utf8(text)) {
        throw Error("'" + excerpt(text) + "' is not UTF-8, and JSON can hold no other text; rename it.");
    }
    return text;
}

}  // namespace fovea
