#pragma once

#include <string>
#include <vector>

#include "lib/numbers/number.hpp"
#include "lib/report/model/table.hpp"

namespace fovea::report {

/// The numbers of rivals, one list each, in the same order.
using NumberLists = std::vector<const Numbers*>;

/// A row for each rival, a column for each number. \param noun of a rival: "Tracker". \param keys of the
/// numbers shown, in this order; empty = all.
Table rivals_by_number(const std::string& noun, const std::vector<std::string>& names,
                       const NumberLists& lists, const std::vector<std::string>& keys,
                       const Decimals& decimals = {});

/// A row for each number, a column for each rival. \param single the heading of the column if there is
/// one rival.
Table numbers_by_rival(const std::vector<std::string>& names, const NumberLists& lists,
                       const Decimals& decimals = {}, const std::string& single = "Value");

/// Adds to a table the definitions of the numbers in its rows.
void add_definitions(Table& table, const Numbers& numbers);

/// Adds a column of cells, one for each row, before the column at this place; at the end if there is none.
void add_column(Table& table, Column column, std::vector<Cell> cells);

}  // namespace fovea::report
