#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

/// Reads the rows of a CSV file (RFC 4180): a cell in quotes may hold separators, line breaks and quotes,
/// which are doubled there. Lines end with \n or \r\n. Blanks about a cell without quotes are no part of it.
/// Empty lines are passed over.
class CsvReader {
  public:
    /// \param bytes must outlive the reader. \param separator ',', ';' or a tab.
    CsvReader(std::string_view bytes, char separator) : bytes_(bytes), separator_(separator) {}

    /// The next row; false at the end. \throws Error, without the name of a file, if a quote is not closed,
    /// or something follows it.
    bool next();

    const std::vector<std::string>& cells() const { return cells_; }  ///< of the row
    std::size_t line() const { return line_; }                        ///< where the row begins, from 1
    std::string_view text() const { return text_; }                   ///< of the row, without its end

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
