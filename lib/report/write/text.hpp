#pragma once

#include <cstddef>
#include <string>

#include "lib/report/model/table.hpp"

namespace fovea::report {

/// A table for terminals and logs: each column has one width, an asterisk follows the best numbers, intervals
/// and notes of a row stand below it, the table's note last. Control characters are made visible.
/// \param max_width in characters; 0 = no limit. A table that is too wide has rows and columns exchanged if
/// it fits then; else the last columns are left out, and a line names them.
std::string text_table(const Table& table, std::size_t max_width = 0);

}  // namespace fovea::report
