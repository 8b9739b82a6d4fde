#include "lib/dataset/text_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "lib/core/error.hpp"

namespace fovea {
namespace {

constexpr double largest_coordinate = 1e7;
constexpr std::string_view blanks = " \t\r\v\f";

/// Length of the well-formed UTF-8 sequence at `i`, 0 if there is none.
std::size_t utf8_length(std::string_view text, std::size_t i) {
    const auto byte = [&](std::size_t k) -> unsigned {
        return k < text.size() ? static_cast<unsigned char>(text[k]) : 0U;
    };
    const auto is_tail = [&](std::size_t k) { return (byte(k) & 0xC0U) == 0x80U; };
    const unsigned first = byte(i);
    if (first < 0x80U) return 1;
    if (first >= 0xC2U && first <= 0xDFU) return is_tail(i + 1) ? 2 : 0;
    if (first >= 0xE0U && first <= 0xEFU) {
        if (!is_tail(i + 1) || !is_tail(i + 2)) return 0;
        if (first == 0xE0U && byte(i + 1) < 0xA0U) return 0;   // overlong
        if (first == 0xEDU && byte(i + 1) >= 0xA0U) return 0;  // surrogate
        return 3;
    }
    if (first >= 0xF0U && first <= 0xF4U) {
        if (!is_tail(i + 1) || !is_tail(i + 2) || !is_tail(i + 3)) return 0;
        if (first == 0xF0U && byte(i + 1) < 0x90U) return 0;   // overlong
        if (first == 0xF4U && byte(i + 1) >= 0x90U) return 0;  // beyond U+10FFFF
        return 4;
    }
    return 0;
}

std::string hex_byte(const char* prefix, char c) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02X", static_cast<unsigned>(static_cast<unsigned char>(c)));
    return std::string(prefix) + digits;
}

}  // namespace

TextFile TextFile::read(const std::filesystem::path& path) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status)) {
        throw UsageError("There is no file '" + path.string() + "'; check the path.");
    }
    if (std::filesystem::is_directory(status)) {
        throw UsageError("'" + path.string() + "' is a folder where a file is needed; name the file.");
    }
    std::ifstream file(path, std::ios::binary);
    if (!file) throw Error("'" + path.string() + "' cannot be opened; check its permissions.");
    std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (file.bad()) throw Error("'" + path.string() + "' cannot be read to its end.");
    return {path.string(), std::move(text)};
}

TextFile::TextFile(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.erase(0, 3);
    if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF")) {
        throw Error("'" + name_ + "' is UTF-16 text; save it as UTF-8.");
    }
}

std::vector<TextLine> TextFile::content_lines() const {
    std::vector<TextLine> lines;
    const std::string_view all = text_;
    int number = 0;
    for (std::size_t start = 0; start < all.size();) {
        const std::size_t end = std::min(all.find('\n', start), all.size());
        const std::string_view line = trim(all.substr(start, end - start));
        ++number;
        if (!line.empty() && line.front() != '#') lines.push_back({number, line});
        start = end + 1;
    }
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

std::vector<std::string> split_list(std::string_view text, char separator) {
    std::vector<std::string> parts;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = std::min(text.find(separator, start), text.size());
        parts.emplace_back(trim(text.substr(start, end - start)));
        start = end + 1;
    }
    return parts;
}

std::string_view trim(std::string_view text) {
    const std::size_t start = text.find_first_not_of(blanks);
    if (start == std::string_view::npos) return {};
    return text.substr(start, text.find_last_not_of(blanks) - start + 1);
}

std::optional<double> parse_pixels(std::string_view text) {
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end) return std::nullopt;
    // Written so that NaN fails too; from_chars accepts "nan" and "inf".
    if (!(std::abs(value) <= largest_coordinate)) return std::nullopt;
    return value + 0.0;  // -0 becomes 0: it would be another text in a results file
}

std::string shown_text(std::string_view text) {
    constexpr std::size_t longest = 120;
    std::string result;
    for (std::size_t i = 0; i < text.size();) {
        if (i >= longest) return result + "...";
        const std::size_t length = utf8_length(text, i);
        if (length == 0 || static_cast<unsigned char>(text[i]) < 0x20 || text[i] == 0x7F) {
            result += hex_byte("\\x", text[i]);
            ++i;
        } else {
            result += text.substr(i, length);
            i += length;
        }
    }
    return result;
}

void throw_line_error(const std::string& file, int line, std::string_view text, const std::string& expected) {
    throw Error(file + ":" + std::to_string(line) + ": cannot read '" + shown_text(text) + "': expected " +
                expected);
}

int line_at(std::string_view text, std::size_t offset) {
    const std::string_view before = text.substr(0, std::min(offset, text.size()));
    return 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
}

bool is_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = utf8_length(text, i);
        if (length == 0) return false;
        i += length;
    }
    return true;
}

std::string to_utf8(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = utf8_length(text, i);
        result += length == 0 ? hex_byte("%", text[i]) : std::string(text.substr(i, length));
        i += std::max<std::size_t>(length, 1);
    }
    return result;
}

std::string require_utf8(const std::string& text) {
    if (!is_utf8(text)) {
        throw Error("'" + shown_text(text) + "' is not UTF-8, and JSON can hold no other text; rename it.");
    }
    return text;
}

std::string counted(std::size_t count, const std::string& singular, const std::string& plural) {
    return std::to_string(count) + " " + (count == 1 ? singular : plural);
}

}  // namespace fovea
