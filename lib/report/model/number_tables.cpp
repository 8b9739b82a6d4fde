#include "lib/report/model/number_tables.hpp"

#include <algorithm>

namespace fovea::report {

Table rivals_by_number(const std::string& noun, const std::vector<std::string>& names,
                       const NumberLists& lists, const std::vector<std::string>& keys,
                       const Decimals& decimals) {
    Table table{.columns = {words(noun)}, .rivals = Rivals::rows, .is_sortable = true};
    std::vector<std::string> shown = keys;
    if (shown.empty()) {
        for (const Number& number : *lists[0]) shown.push_back(number.quantity.key);
    }
    for (const std::string& key : shown) {
        const Quantity& quantity = number_of_key(*lists[0], key).quantity;
        table.columns.push_back({quantity.name, quantity.definition});
    }
    for (std::size_t i = 0; i < lists.size(); ++i) {
        std::vector<Cell> row{rival_cell(names, i)};
        for (const std::string& key : shown)
            row.push_back(number_cell(number_of_key(*lists[i], key), decimals));
        table.rows.push_back(std::move(row));
    }
    return table;
}

Table numbers_by_rival(const std::vector<std::string>& names, const NumberLists& lists,
                       const Decimals& decimals, const std::string& single) {
    Table table{.columns = {words("Number")}, .rivals = Rivals::columns};
    for (const std::string& name : names) table.columns.push_back({names.size() == 1 ? single : name});
    for (std::size_t k = 0; k < lists[0]->size(); ++k) {
        const Quantity& quantity = (*lists[0])[k].quantity;
        std::vector<Cell> row{quantity.name};
        for (const Numbers* list : lists) row.push_back(number_cell(list->at(k), decimals));
        table.rows.push_back(std::move(row));
    }
    return table;
}

void add_definitions(Table& table, const Numbers& numbers) {
    std::vector<Cell> definitions;
    for (const Number& number : numbers) definitions.emplace_back(number.quantity.definition);
    add_column(table, words("Definition"), std::move(definitions));
}

void add_column(Table& table, Column column, std::vector<Cell> cells) {
    table.columns.push_back(std::move(column));
    for (std::size_t r = 0; r < table.rows.size(); ++r) table.rows[r].push_back(std::move(cells.at(r)));
}

}  // namespace fovea::report
