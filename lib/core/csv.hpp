#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace fovea {

/// A text as a cell of a CSV file (RFC 4180): in quotes if it holds a comma, quote or line break.
///
/// Spreadsheets take a cell that begins with = + - @, a tab or a carriage return for a formula. Such a text
/// gets a single quote in front, even if other single quotes precede the character. csv_text() removes it.
std::string csv_cell(std::string_view text);

/// Undoes csv_cell(). \param cell without the double quotes around it, as CsvReader gives it.
std::string_view csv_text(std::string_view cell);

/// Writes a CSV file: rows of cells. All writers of CSV use it.
class CsvRows {
  public:
    explicit CsvRows(std::initializer_list<std::string_view> heading);

    /// Adds csv_cell(text).
    CsvRows& text(std::string_view text);
    /// Adds shortest_number(value), without a quote before '-'.
    CsvRows& number(double value);
    /// Adds an empty cell.
    CsvRows& empty();
    void end_row();

    const std::string& bytes() const { return bytes_; }

  private:
    CsvRows& cell(std::string_view cell);

    std::string bytes_;
    bool row_begun_ = false;
};

}  // namespace fovea
