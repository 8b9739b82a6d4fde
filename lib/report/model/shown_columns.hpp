#pragma once

#include <functional>
#include <vector>

#include "lib/report/model/table.hpp"

namespace fovea::report {

/// A column of a table, and its cell in the row of a subject.
template <class Subject>
struct ShownColumn {
    Column column;
    std::function<Cell(const Subject&)> cell;
};
template <class Subject>
using ShownColumns = std::vector<ShownColumn<Subject>>;

/// Appends columns.
template <class Subject>
void append(ShownColumns<Subject>& columns, const ShownColumns<Subject>& more) {
    columns.insert(columns.end(), more.begin(), more.end());
}

template <class Subject>
/// The cells of a subject's row.
std::vector<Cell> row_of(const ShownColumns<Subject>& columns, const Subject& subject) {
    std::vector<Cell> row;
    for (const ShownColumn<Subject>& shown : columns) row.push_back(shown.cell(subject));
    return row;
}

/// A row for each subject.
template <class Subject>
Table table_of(const ShownColumns<Subject>& columns, const std::vector<Subject>& subjects) {
    Table table;
    for (const ShownColumn<Subject>& shown : columns) table.columns.push_back(shown.column);
    for (const Subject& subject : subjects) table.rows.push_back(row_of(columns, subject));
    return table;
}

}  // namespace fovea::report
