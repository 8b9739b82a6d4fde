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

/// A text file in memory, with the name that error messages give it.
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

    /// All lines that are neither blank nor comments ('#' as the first character). LF and CRLF ends.
    /// The views point into this object.
    std::vector<TextLine> content_lines() const;

    /// Calls `visit` with one of them after the other.
    template <class Visit>
    void for_each_content_line(const Visit& visit) const {
        const std::string_view all = text_;
        int number = 0;
        for (std::size_t start = 0; start < all.size();) {
            const std::size_t end = std::min(all.find('\n', start), all.size());
            const std::string_view line = trim(all.substr(start, end - start));
            ++number;
            if (!line.empty() && line.front() != '#') visit(TextLine{number, line});
            start = end + 1;
        }
    }

    /// Throws Error "FILE:LINE: cannot read 'TEXT': expected WHAT".
    [[noreturn]] void fail(const TextLine& line, const std::string& expected) const;

  private:
    std::string name_;
    std::string text_;
};

/// Fields separated by spaces and tabs.
std::vector<std::string_view> split_fields(std::string_view line);

/// Columns between commas, if there is a comma, else between blanks; without empty ones at the end, which
/// spreadsheets leave.
std::vector<std::string_view> split_columns(std::string_view line);

/// Parts separated by `separator`, blanks around each removed; empty parts are kept.
std::vector<std::string> split_list(std::string_view text, char separator);

/// A coordinate or length in pixels: a spelled_number() within ±10 million.
/// The limit is far beyond any image and keeps later arithmetic exact.
std::optional<double> parse_pixels(std::string_view text);

/// The numbers of a line, separated by blanks: how many were put into `numbers`; nothing if a field is no
/// finite decimal number, or there are more than it holds. A field may begin with '+'; -0 becomes 0.
std::optional<std::size_t> parse_numbers(std::string_view line, std::span<double> numbers);

/// The same as parse_numbers, for lines that must hold as many coordinates (see parse_pixels) as `numbers`
/// has room for.
bool parse_pixels(std::string_view line, std::span<double> numbers);

/// The same of the first fields of a line; false if there are fewer than `numbers` has room for.
bool parse_pixels(std::span<const std::string_view> fields, std::span<double> numbers);

/// Throws Error "FILE:LINE: cannot read 'TEXT': expected WHAT".
[[noreturn]] void throw_line_error(const std::string& file, int line, std::string_view text,
                                   const std::string& expected);

/// `text` where it is UTF-8; otherwise with each offending byte as %XX, so that JSON can hold it.
std::string to_utf8(std::string_view text);

/// `text`; throws Error if it is not UTF-8, for JSON cannot hold it.
std::string require_utf8(const std::string& text);

}  // namespace fovea
