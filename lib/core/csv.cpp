#include "lib/core/csv.hpp"

#include "lib/core/text.hpp"

namespace fovea {
namespace {

bool is_formula(std::string_view text) {
    const std::size_t begin = text.find_first_not_of('\'');
    return begin != std::string_view::npos &&
           std::string_view("=+-@\t\r").find(text[begin]) != std::string_view::npos;
}

}  // namespace

std::string csv_cell(std::string_view text) {
    const bool formula = is_formula(text);
    if (!formula && text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
    std::string quoted = formula ? "\"'" : "\"";
    for (const char c : text) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted + "\"";
}

std::string_view csv_text(std::string_view cell) {
    return cell.starts_with('\'') && is_formula(cell) ? cell.substr(1) : cell;
}

CsvRows::CsvRows(std::initializer_list<std::string_view> heading) {
    for (const std::string_view name : heading) text(name);
    if (heading.size() > 0) end_row();
}

CsvRows& CsvRows::text(std::string_view text) {
    return cell(csv_cell(text));
}

CsvRows& CsvRows::number(double value) {
    return cell(shortest_number(value));
}

CsvRows& CsvRows::empty() {
    return cell({});
}

void CsvRows::end_row() {
    bytes_ += '\n';
    row_begun_ = false;
}

CsvRows& CsvRows::cell(std::string_view cell) {
    if (row_begun_) bytes_ += ',';
    bytes_ += cell;
    row_begun_ = true;
    return *this;
}

}  // namespace fovea
