#pragma once

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/core/text.hpp"

namespace fovea {

/// A line of a text file without its line end and without blanks around it.
struct TextLine {
    int number = 0;  ///< from 1
    std::string_view text;
};

/// A text file in memory, with its name in messages.
class TextFile {
  public:
    /// Reads a file in UTF-8, UTF-16 or UTF-32 (text_as_utf8()).
    /// \throws UsageError if it is not there or is a folder; Error if it cannot be read or its encoding is
    /// broken.
    static TextFile read(const std::filesystem::path& path);

    /// Text that came from elsewhere, e.g. standard input. \throws Error if its encoding is broken.
    TextFile(std::string name, std::string text);

    const std::string& name() const { return name_; }
    const std::string& text() const { return text_; }

    /// All lines that are neither blank nor comments ('#' as the first character); lines may end with LF or
    /// CRLF. The views point into this object.
    std::vector<TextLine> content_lines() const;

    /// Calls `visit` with each line that is not blank, comments included.
    template <class Visit>
    void for_each_line(const Visit& visit) const {
        const std::string_view all = text_;
        int number = 0;
        for (std::size_t start = 0; start < all.size();) {
            const std::size_t end = std::min(all.find('\n', start), all.size());
            const std::string_view line = trim(all.substr(start, end - start));
            ++number;
            if (!line.empty()) visit(TextLine{number, line});
            start = end + 1;
        }
    }

    /// Calls `visit` with each line of content_lines().
    template <class Visit>
    void for_each_content_line(const Visit& visit) const {
        for_each_line([&](const TextLine& line) {
            if (line.text.front() != '#') visit(line);
        });
    }

    /// Throws Error "FILE:LINE: cannot read 'TEXT': expected WHAT".
    [[noreturn]] void fail(const TextLine& line, const std::string& expected) const;

  private:
    std::string name_;
    std::string text_;
};

/// The fields of a line, separated by spaces and tabs.
std::vector<std::string_view> split_fields(std::string_view line);

/// The columns of a line, between commas if it has any, else between blanks; without empty ones at the end,
/// which spreadsheets leave.
std::vector<std::string_view> split_columns(std::string_view line);

/// The parts of a text, separated by `separator`, without blanks around them; empty parts are kept.
std::vector<std::string> split_list(std::string_view text, char separator);

/// Reads a coordinate or length in pixels: a spelled_number() within ±10 million, which is far beyond any
/// image and keeps later arithmetic exact.
std::optional<double> parse_pixels(std::string_view text);

/// Reads the numbers of a line, separated by blanks, into `numbers`. \return their count; nothing if a field
/// is no spelled_number(), or there are more than `numbers` holds.
std::optional<std::size_t> parse_numbers(std::string_view line, std::span<double> numbers);

/// Reads a line of coordinates, separated by blanks. \return false unless there are exactly as many as
/// `numbers` holds, and each is within the range of parse_pixels().
bool parse_pixels(std::string_view line, std::span<double> numbers);

/// Reads coordinates from the first fields of a line. \return false if one is none, or there are too few
/// for `numbers`.
bool parse_pixels(std::span<const std::string_view> fields, std::span<double> numbers);

/// Throws Error "FILE:LINE: cannot read 'TEXT': expected WHAT".
[[noreturn]] void throw_line_error(const std::string& file, int line, std::string_view text,
                                   const std::string& expected);

/// The text with each byte that is no UTF-8 as %XX, so that JSON can hold it.
std::string to_utf8(std::string_view text);

/// The text. \throws Error if it is not UTF-8, so that JSON cannot hold it.
std::string require_utf8(const std::string& text);

}  // namespace fovea
