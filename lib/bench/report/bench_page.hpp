#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "lib/core/time_summary.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/report/model/report.hpp"
#include "lib/report/model/shown_columns.hpp"

namespace fovea::report {

// Pieces that the reports of all benchmarks share.

/// The cell of what was not measured.
inline const Cell not_measured{"–"};

/// Images or frames a second: "52.4", "4,500".
Cell rate_cell(double per_second);
/// Milliseconds to four significant digits or so: "0.3052", "3.052", "30.52", "305.2".
Cell ms_cell(double ms);

/// Adds columns of the median and of the quartiles of repeated measurements. \param cell of one value
template <class Result>
void add_median(ShownColumns<Result>& columns, Column column, std::vector<double> Result::*values,
                Cell (*cell)(double)) {
    const auto add = [&](Column of, auto text) {
        columns.push_back({std::move(of), [values, text](const Result& result) {
                               const std::vector<double>& measured = result.*values;
                               return measured.empty() ? not_measured : text(summarise_times(measured));
                           }});
    };
    add(std::move(column), [cell](const TimeSummary& of) { return cell(of.median_ms); });
    add({"quartiles"}, [cell](const TimeSummary& of) {
        return Cell(cell(of.quartile_1_ms).text + " - " + cell(of.quartile_3_ms).text);
    });
}

/// Adds the row of a measurement. \param names of what was not run: the first cells of its row
template <class Result>
void add_row(Table& table, const ShownColumns<Result>& columns, const Result& result,
             std::vector<Cell> names) {
    names.emplace_back("not run");
    table.rows.push_back(result.not_run.empty() ? row_of(columns, result) : std::move(names));
    table.rows.back().resize(table.columns.size());
}

/// A report that begins with a sentence.
Report bench_report(const std::string& title, const std::string& sentence);
/// Adds a section of a table and its note; none without rows.
void add_table(Report& report, const std::string& id, const std::string& title, Table table,
               const std::string& note = {});
/// Adds a section of sentences; none without any.
void add_list(Report& report, const std::string& id, const std::string& title,
              const std::vector<std::string>& sentences);
/// Adds a section of plots; none without any.
void add_plots(Report& report, std::vector<Plot> plots);

/// Adds the page, and publishes it with the files of numbers; if a plot cannot be drawn, the numbers alone,
/// which took minutes to measure. \return the page. \throws Error as run_gnuplot(), and if a file cannot be
/// written
std::filesystem::path publish_benchmark(StagedFiles& files, const std::filesystem::path& folder,
                                        const Report& report, const std::string& stem);

}  // namespace fovea::report
