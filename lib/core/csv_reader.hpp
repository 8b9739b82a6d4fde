#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

/// Reads the rows of a CSV file (RFC 4180): a cell in quotes may hold separators, line breaks and doubled
/// quotes. Lines end with \n or \r\n. Blanks around a cell are dropped. Empty lines are passed over.
class CsvReader {
  public:
    /// \param bytes must outlive the reader. \param separator ',', ';' or a tab.
    CsvReader(std::string_view bytes, char separator) : bytes_(bytes), separator_(separator) {}

    /// Reads the next row. \return false at the end. \throws Error, without the file's name, if a quote is
    /// not closed, or text follows a closing quote.
    bool next();

    /// The row's cells, without their quotes.
    const std::vector<std::string>& cells() const { return cells_; }
    /// The line, from 1, in which the row begins.
    std::size_t line() const { return line_; }
    /// The row as it stands in the file, without its line end.
    std::string_view text() const { return text_; }

  private:
    std::string quoted_cell();
    std::string plain_cell();

    std::string_view bytes_;
    char separator_;
    std::size_t at_ = 0;
    std::size_t next_line_ = 1;
    std::size_t line_ = 0;
    std::string_view text_;
    std::vector<std::string> cells_;
};

}  // namespace fovea
