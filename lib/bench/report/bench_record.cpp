#include "lib/bench/report/bench_record.hpp"

#include <algorithm>
#include <cmath>

#include <spdlog/fmt/fmt.h>

#include "lib/core/csv.hpp"
#include "lib/core/text.hpp"
#include "lib/core/time_summary.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/json/json_text.hpp"
#include "lib/report/model/report.hpp"
#include "lib/report/page/report_part.hpp"

namespace fovea::report {
namespace {

// Times are known to a tenth of a microsecond at best.
constexpr int time_digits = 4;

constexpr const char* not_run_key = "not_run";

/// A cell of a CSV file.
std::string csv_value(const Json& value) {
    if (value.is_string()) return csv_cell(value.get<std::string>());
    if (value.is_boolean()) return value.get<bool>() ? "1" : "0";
    if (value.is_number_float()) return shortest_number(value.get<double>());
    return value.is_number() ? value.dump() : "";
}

/// The scalars of a value under their paths: "parts_total_median_ms".
void flatten(const std::string& path, const Json& value,
             std::vector<std::pair<std::string, std::string>>& cells) {
    if (value.is_object()) {
        for (const auto& [key, member] : value.items()) flatten(path + "_" + key, member, cells);
    } else if (!value.is_array()) {
        cells.emplace_back(path, csv_value(value));
    }
}

std::vector<std::pair<std::string, std::string>> csv_cells(const BenchList& list, const BenchRow& row) {
    std::vector<std::pair<std::string, std::string>> cells;
    for (std::size_t i = 0; i < row.values.size(); ++i) {
        const BenchValue& value = row.values[i];
        std::string path = list.fields[i].first;
        std::replace(path.begin(), path.end(), '/', '_');
        if (!path.empty() && value.json && !value.is_bulky) flatten(path, *value.json, cells);
    }
    if (!row.not_run.empty()) cells.emplace_back(not_run_key, csv_cell(row.not_run));
    return cells;
}

bool has_rows(const BenchList& list) {
    return std::any_of(list.rows.begin(), list.rows.end(),
                       [](const BenchRow& row) { return !row.is_published; });
}

}  // namespace

Cell rate_cell(double per_second) {
    return per_second < 100 ? value_cell(per_second, 1) : count_cell(std::round(per_second));
}

Cell rates_cell(const std::vector<double>& per_second) {
    const TimeSummary summary = summarise_times(per_second);
    Cell cell = rate_cell(summary.median_ms);
    cell.interval = rate_cell(summary.quartile_1_ms).text + "–" + rate_cell(summary.quartile_3_ms).text;
    return cell;
}

Cell ms_cell(double ms) {
    return value_cell(ms, ms < 1 ? 4 : ms < 10 ? 3 : ms < 100 ? 2 : 1);
}

double rounded(double value, int digits_after_point) {
    const double unit = std::pow(10.0, digits_after_point);
    return std::round(value * unit) / unit;
}

Json times_json(const std::vector<double>& times_ms) {
    const TimeSummary summary = summarise_times(times_ms);
    return {{"median_ms", rounded(summary.median_ms, time_digits)},
            {"min_ms", rounded(summary.min_ms, time_digits)},
            {"quartile_1_ms", rounded(summary.quartile_1_ms, time_digits)},
            {"quartile_3_ms", rounded(summary.quartile_3_ms, time_digits)}};
}

BenchValue text_value(std::string text) {
    return {text, Cell(text)};
}

BenchValue flag_value(bool flag) {
    return {flag, Cell(flag ? "yes" : "no")};
}

BenchValue count_value(std::size_t count) {
    return {count, value_cell(static_cast<double>(count), 0)};
}

BenchValue number_value(double value, int digits, Cell cell) {
    return {rounded(value, digits), std::move(cell)};
}

BenchValue exact_value(Json value, Cell cell) {
    return {std::move(value), std::move(cell)};
}

BenchValue times_value(const std::vector<double>& times_ms) {
    if (times_ms.empty()) return {};
    const TimeSummary summary = summarise_times(times_ms);
    Cell cell = ms_cell(summary.median_ms);
    cell.interval = ms_cell(summary.quartile_1_ms).text + "–" + ms_cell(summary.quartile_3_ms).text;
    return {times_json(times_ms), std::move(cell)};
}

BenchValue quartile_value(const std::vector<double>& measured, int which) {
    const TimeSummary summary = summarise_times(measured);
    return {which == 1 ? summary.quartile_1_ms : summary.quartile_3_ms};
}

BenchValue bulky_value(Json value) {
    return {std::move(value), not_measured, true};
}

void BenchList::add_published(const std::vector<std::pair<std::string, Cell>>& cells) {
    BenchRow& row = rows.emplace_back();
    row.is_published = true;
    for (const auto& [key, column] : fields) {
        BenchValue& value = row.values.emplace_back();
        for (const auto& [shown, cell] : cells) {
            if (shown == column.title) value.cell = cell;
        }
    }
}

std::size_t place_in(std::vector<std::string>& names, const std::string& name) {
    const auto found = std::find(names.begin(), names.end(), name);
    const auto place = static_cast<std::size_t>(found - names.begin());
    if (found == names.end()) names.push_back(name);
    return place;
}

Table bench_table(const BenchList& list) {
    Table table{.title = list.title, .is_sortable = true, .note = list.note};
    std::vector<std::size_t> shown;
    for (std::size_t i = 0; i < list.fields.size(); ++i) {
        const bool is_filled = std::any_of(list.rows.begin(), list.rows.end(), [&](const BenchRow& row) {
            return row.values[i].cell.text != not_measured.text;
        });
        if (list.fields[i].second.title.empty() || !(is_filled || shown.empty())) continue;
        shown.push_back(i);
        table.columns.push_back(list.fields[i].second);
    }
    for (const BenchRow& row : list.rows) {
        std::vector<Cell>& cells = table.rows.emplace_back();
        for (const std::size_t i : shown) cells.push_back(row.values[i].cell);
        if (row.not_run.empty()) continue;
        // Behind its names.
        const auto free = std::find_if(cells.begin(), cells.end(),
                                       [](const Cell& cell) { return cell.text == not_measured.text; });
        if (free != cells.end()) *free = Cell("not run");
    }
    return table;
}

std::vector<Table> bench_tables(const BenchRecord& record) {
    std::vector<Table> tables;
    for (BenchList list : record.lists) {
        std::erase_if(list.rows, [](const BenchRow& row) { return row.is_detail; });
        if (has_rows(list)) tables.push_back(bench_table(list));
    }
    return tables;
}

Json bench_json(const BenchList& list) {
    Json rows = Json::array();
    for (const BenchRow& row : list.rows) {
        if (row.is_published) continue;
        Json object = Json::object();
        for (std::size_t i = 0; i < row.values.size(); ++i) {
            const std::string& key = list.fields[i].first;
            if (!key.empty() && row.values[i].json)
                object[Json::json_pointer("/" + key)] = *row.values[i].json;
        }
        if (!row.not_run.empty()) object[not_run_key] = row.not_run;
        rows.push_back(std::move(object));
    }
    return rows;
}

Json bench_json(const BenchRecord& record) {
    Json json = Json::object();
    for (const BenchList& list : record.lists) json[list.id] = bench_json(list);
    json["interrupted"] = record.interrupted;
    return json;
}

std::string bench_csv(const BenchList& list) {
    std::vector<std::string> heading;
    for (const BenchRow& row : list.rows) {
        for (const auto& [path, cell] : csv_cells(list, row)) {
            if (std::find(heading.begin(), heading.end(), path) == heading.end()) heading.push_back(path);
        }
    }
    std::string text = fmt::format("{}\n", fmt::join(heading, ","));
    for (const BenchRow& row : list.rows) {
        if (row.is_published) continue;
        std::vector<std::string> line(heading.size());
        for (const auto& [path, cell] : csv_cells(list, row))
            line[static_cast<std::size_t>(std::find(heading.begin(), heading.end(), path) -
                                          heading.begin())] = cell;
        text += fmt::format("{}\n", fmt::join(line, ","));
    }
    return text;
}

void make_benchmark_folder(const OutputFolder& folder) {
    // A folder that exists may still refuse files; better to know before minutes of measurement.
    StagedFiles(folder, "benchmark").add("bench.json", {});
}

std::filesystem::path write_benchmark(const OutputFolder& folder, const Json& json,
                                      const BenchRecord& record) {
    StagedFiles files(folder, "benchmark");
    files.add("bench.json", indented_text(json) + "\n");
    Report report;
    report.title = record.title;
    report.lead = {{Run::plain(record.lead)}};
    for (const BenchList& list : record.lists) {
        if (!has_rows(list)) continue;
        files.add(list.id + ".csv", bench_csv(list));
        report.sections.push_back({list.id, list.title});
        Table table = bench_table(list);
        table.title.clear();
        report.sections.back().add(std::move(table));
    }
    for (const auto& [name, content] : record.files) files.add(name, content);
    if (!record.notes.empty()) report.sections.push_back({"notes", "Notes", {List{record.notes}}});
    report.sections.push_back({"plots", "Plots"});
    report.sections.back().add(record.plots);
    report.footer = "All numbers are in bench.json, and in CSV files as tables.";
    try {
        add_report_files(files, report, "bench");
    } catch (...) {
        files.publish_report("bench");
        throw;
    }
    files.publish_report("bench");
    return folder.path() / "bench.html";
}

}  // namespace fovea::report
