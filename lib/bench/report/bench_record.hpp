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

/// Images or frames per second: "52.4", "4,500".
Cell rate_cell(double per_second);
/// The median of images or frames per second, with the quartiles as its interval. \param per_second at
/// least one.
Cell rates_cell(const std::vector<double>& per_second);
/// Milliseconds to four significant digits or so: "0.3052", "3.052", "30.52", "305.2".
Cell ms_cell(double ms);

double rounded(double value, int digits_after_point);

/// An object of median_ms, min_ms, quartile_1_ms and quartile_3_ms, rounded to a tenth of a microsecond.
/// \param times_ms at least one.
Json times_json(const std::vector<double>& times_ms);

/// A value of a measurement, for programs and for people.
struct BenchValue {
    /// Absent if it was not measured; then its key is left out.
    std::optional<Json> json{};
    Cell cell = not_measured;
    /// It is too long for a CSV file.
    bool is_bulky = false;
};

BenchValue text_value(std::string text);
/// "yes" or "no" for people.
BenchValue flag_value(bool flag);
/// A whole number without commas.
BenchValue count_value(std::size_t count);
/// A number, rounded for programs. \param cell the number for people.
BenchValue number_value(double value, int digits, Cell cell);
/// A number that is not rounded. \param cell the number for people.
BenchValue exact_value(Json value, Cell cell = not_measured);
/// Repeated times; people get the median, with the quartiles as its interval. Nothing if there are none.
BenchValue times_value(const std::vector<double>& times_ms);
/// A quartile of repeated measurements, for programs only. \param which 1 or 3.
BenchValue quartile_value(const std::vector<double>& measured, int which);
/// A value for bench.json only.
BenchValue bulky_value(Json value);

/// A value of each row of a list.
template <class Row>
struct BenchField {
    /// The key in bench.json, where '/' leads into an object; with '_' for '/', the column of a CSV file.
    /// Empty = for people only.
    std::string key;
    /// A column without a title is for programs only.
    Column column;
    std::function<BenchValue(const Row&)> value;
    /// It names the row, even if that was not run.
    bool is_name = false;
};

struct BenchRow {
    std::vector<BenchValue> values;  ///< parallel to the fields
    std::string not_run{};           ///< the reason, a sentence, if the machine cannot run it
    bool is_published = false;       ///< somebody else's figures, only for tables
    bool is_detail = false;          ///< not for the terminal
};

/// Rows of numbers of one kind.
struct BenchList {
    /// The key in bench.json, and the name of the section and the CSV file.
    std::string id;
    std::string title;
    std::string note;
    std::vector<std::pair<std::string, Column>> fields{};
    std::vector<BenchRow> rows{};

    /// Adds somebody else's figures. \param cells by the titles of their columns.
    void add_published(const std::vector<std::pair<std::string, Cell>>& cells);
};

/// Adds rows to a list. A row whose member not_run is not empty shows only its names and that reason.
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

/// Appends fields to others.
template <class Row>
void append(std::vector<BenchField<Row>>& fields, std::vector<BenchField<Row>> more) {
    for (BenchField<Row>& field : more) fields.push_back(std::move(field));
}

/// The index of a name in a list; adds the name if it is not there.
std::size_t place_in(std::vector<std::string>& names, const std::string& name);

/// All that a benchmark measured.
struct BenchRecord {
    std::string title;
    /// The machine and what was measured on it, in a sentence.
    std::string lead;
    std::vector<BenchList> lists{};
    /// Limits, verdicts, and reasons why rows were not run; a line each.
    std::vector<std::string> notes{};
    std::vector<Plot> plots{};
    /// Further CSV files: names and contents.
    std::vector<std::pair<std::string, std::string>> files{};
    bool interrupted = false;
};

/// A list as a table for people, without the columns that no row fills.
Table bench_table(const BenchList& list);
/// The tables of all lists that have rows, for the terminal: without details.
std::vector<Table> bench_tables(const BenchRecord& record);
/// A list as JSON, with an object per row.
Json bench_json(const BenchList& list);
/// All lists by their ids, and "interrupted".
Json bench_json(const BenchRecord& record);
/// A list as CSV; times take several columns.
std::string bench_csv(const BenchList& list);

/// Makes the folder of a benchmark. \throws Error if it cannot be made, or no file can be written into it.
void make_benchmark_folder(const OutputFolder& folder);

/// Writes bench.json (`json`), a CSV file for each list, further files, bench.html, bench.md and the plots as
/// SVG and PDF into a folder, which is made if it is missing. Files take their places together; files of an
/// earlier benchmark that this one does not have are removed. If the plots cannot be drawn, the numbers,
/// which took minutes to measure, are written before the error. \return the page's path. \throws Error if a
/// file cannot be written, and as run_gnuplot().
std::filesystem::path write_benchmark(const OutputFolder& folder, const Json& json,
                                      const BenchRecord& record);

}  // namespace fovea::report
