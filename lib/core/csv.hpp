#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace fovea {

/// A text as a cell of a CSV file (RFC 4180): in quotes if it holds a comma, quote or line break.
///
/// Spreadsheets take a cell that begins with = + - @, a tab or a carriage return for a formula. Such a text
/// gets a single quote in front, and so does one that begins with single quotes and then one of these:
/// csv_text() reads both back.
std::string csv_cell(std::string_view text);

/// The text that csv_cell() made `cell` of; `cell` without the quotes around it.
std::string_view csv_text(std::string_view cell);

/// The one writer of CSV files: rows of cells.
class CsvRows {
  public:
    explicit CsvRows(std::initializer_list<std::string_view> heading);

    CsvRows& text(std::string_view text);  ///< as csv_cell()
    /// Writes shortest_number(): a number may begin with '-'.
    CsvRows& number(double value);
    CsvRows& empty();
    void end_row();

    const std::string& bytes() const { return bytes_; }

  private:
    CsvRows& cell(std::string_view cell);

    std::string bytes_;
    bool row_begun_ = false;
};

}  // namespace fovea
