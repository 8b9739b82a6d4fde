#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/files/input_files.hpp"
#include "lib/json/json.hpp"
#include "lib/report/model/plot.hpp"
#include "lib/report/model/table.hpp"

namespace fovea::report {

// The one record of a benchmark, whatever it measures, and its one report: bench.json, CSV files, a page, and
// tables in the terminal.

/// The cell of a value that was not measured.
inline const Cell not_measured{"–"};

/// Images or frames a second: "52.4", "4,500".
Cell rate_cell(double per_second);
/// Their median, with the quartiles as its interval. \param per_second at least one
Cell rates_cell(const std::vector<double>& per_second);
/// Milliseconds to four significant digits or so: "0.3052", "3.052", "30.52", "305.2".
Cell ms_cell(double ms);

double rounded(double value, int digits_after_point);

/// median_ms, min_ms, quartile_1_ms, quartile_3_ms, to a tenth of a microsecond. \param times_ms at least one
Json times_json(const std::vector<double>& times_ms);

/// A value of a measurement, for programs and for people.
struct BenchValue {
    /// Absent where there is none: then its key is absent, too.
    std::optional<Json> json{};
    Cell cell = not_measured;
    /// Too much for a CSV file.
    bool is_bulky = false;
};

/// Words, or a truth: "yes" and "no".
BenchValue text_value(std::string text);
BenchValue flag_value(bool flag);
/// A whole number without commas.
BenchValue count_value(std::size_t count);
/// A number rounded for programs. \param cell as people read it
BenchValue number_value(double value, int digits, Cell cell);
/// The same as it is.
BenchValue exact_value(Json value, Cell cell = not_measured);
/// Repeated times: the median for people, with the quartiles as its interval. Nothing without any.
BenchValue times_value(const std::vector<double>& times_ms);
/// A quartile of repeated measurements as it is, for programs alone. \param which 1 or 3
BenchValue quartile_value(const std::vector<double>& measured, int which);
/// For bench.json alone.
BenchValue bulky_value(Json value);

/// A value of each row of a list.
template <class Row>
struct BenchField {
    /// In bench.json, and with '_' for '/' the column of a CSV file; '/' leads into an object. Empty = for
    /// people alone.
    std::string key;
    /// A column without a title is for programs alone.
    Column column;
    std::function<BenchValue(const Row&)> value;
    /// It tells which row this is, also where that was not run.
    bool is_name = false;
};

struct BenchRow {
    std::vector<BenchValue> values;  ///< parallel to the fields
    std::string not_run{};           ///< a sentence where the machine cannot run it
    bool is_published = false;       ///< somebody else's figures: in tables alone
    bool is_detail = false;          ///< too much for the terminal
};

/// Rows of numbers of one kind.
struct BenchList {
    /// Its key in bench.json, and the name of its section and its CSV file.
    std::string id;
    std::string title;
    std::string note;
    std::vector<std::pair<std::string, Column>> fields{};
    std::vector<BenchRow> rows{};

    /// Adds somebody else's figures. \param cells of the columns shown, by their titles
    void add_published(const std::vector<std::pair<std::string, Cell>>& cells);
};

/// Rows as a list. A row with a member not_run that is not empty shows its names and that.
template <class Row>
BenchList list_of(BenchList list, const std::vector<BenchField<Row>>& fields, const std::vector<Row>& rows) {
    for (const BenchField<Row>& field : fields) list.fields.emplace_back(field.key, field.column);
    for (const Row& row : rows) {
        BenchRow& measured = list.rows.emplace_back();
        if constexpr (requires { row.not_run; }) measured.not_run = row.not_run;
        for (const BenchField<Row>& field : fields) {
            const bool is_there = measured.not_run.empty() || field.is_name;
            measured.values.push_back(is_there ? field.value(row) : BenchValue{});
        }
    }
    return list;
}

/// Adds fields behind others.
template <class Row>
void append(std::vector<BenchField<Row>>& fields, std::vector<BenchField<Row>> more) {
    for (BenchField<Row>& field : more) fields.push_back(std::move(field));
}

/// The place of a name in a list, to which it is added if it is not there.
std::size_t place_in(std::vector<std::string>& names, const std::string& name);

/// All that a benchmark measured.
struct BenchRecord {
    std::string title;
    /// The machine and what was measured on it, in a sentence.
    std::string lead;
    std::vector<BenchList> lists{};
    /// Limits, verdicts, and why rows were not run; a line each.
    std::vector<std::string> notes{};
    std::vector<Plot> plots{};
    /// Further CSV files: name and content.
    std::vector<std::pair<std::string, std::string>> files{};
    bool interrupted = false;
};

/// The list as people read it: columns that no row fills are left out.
Table bench_table(const BenchList& list);
/// The tables of all lists that have rows, for the terminal: without details.
std::vector<Table> bench_tables(const BenchRecord& record);
/// An object a row.
Json bench_json(const BenchList& list);
/// The lists by their ids, and "interrupted".
Json bench_json(const BenchRecord& record);
/// A row a row; times are several columns.
std::string bench_csv(const BenchList& list);

/// \throws Error if there is no such folder and none can be made, or if no file can be written into it.
void make_benchmark_folder(const OutputFolder& folder);

/// Writes bench.json (as given), a CSV file for each list, the further files, bench.html, bench.md and the
/// plots as SVG and PDF into a folder, which is made if it is missing. Files take their places together;
/// those of an earlier benchmark that this one does not have are removed. If the plots cannot be drawn, the
/// numbers, which took minutes to measure, are written all the same. \return the page. \throws Error if a
/// file cannot be written, and as run_gnuplot().
std::filesystem::path write_benchmark(const OutputFolder& folder, const Json& json,
                                      const BenchRecord& record);

}  // namespace fovea::report
