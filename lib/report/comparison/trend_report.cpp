#include "lib/report/comparison/trend_report.hpp"

#include <algorithm>

#include <spdlog/fmt/fmt.h>

#include "lib/core/text.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_text.hpp"
#include "lib/report/comparison/comparison_content.hpp"
#include "lib/report/page/report_part.hpp"

namespace fovea {
namespace {

using namespace report;

/// More labels of runs would touch.
constexpr std::size_t max_run_labels = 12;

template <class MemberOf>
std::vector<std::string> each_once(const Trend& trend, const MemberOf& member_of_line) {
    std::vector<std::string> found;
    for (const TrendLine& line : trend.lines) {
        const std::string& text = member_of_line(line);
        if (std::find(found.begin(), found.end(), text) == found.end()) found.push_back(text);
    }
    return found;
}

std::vector<std::string> rivals_of_trend(const Trend& trend) {
    return each_once(trend, [](const TrendLine& line) { return line.rival; });
}

Number number_at(const TrendLine& line, const TrendPoint& point) {
    return {line.quantity, point.value, point.ci95};
}

Table change_table(const Trend& trend) {
    Table table{.title = "Changes",
                .columns = {words("Run"),
                            words("Detector"),
                            words("Number"),
                            {"Before"},
                            {"After"},
                            {"Difference"},
                            {"95 % interval"},
                            {"p", "Two-sided, before the correction"},
                            words("Change")},
                .is_sortable = true,
                .note = "Differences of rates are in percentage points."};
    for (const TrendLine& line : trend.lines) {
        for (std::size_t i = 1; i < line.points.size(); ++i) {
            const TrendPoint& point = line.points[i];
            if (!point.is_change) continue;
            const ComparedNumber& step = *point.step;
            table.rows.push_back({trend.runs[point.run], line.rival, line.quantity.name,
                                  number_cell(number_at(line, line.points[i - 1])).text,
                                  number_cell(number_at(line, point)).text,
                                  difference_text(step, *step.difference),
                                  step.ci95 ? difference_text(step, (*step.ci95)[0]) + " to " +
                                                  difference_text(step, (*step.ci95)[1])
                                            : "–",
                                  p_text(*step.p_value), change_word(point)});
        }
    }
    return table;
}

/// A row a run, the newest last.
Table run_table(const Trend& trend, const std::string& rival, std::size_t most_runs) {
    Table table{.title = rival.empty() ? "Runs" : "Runs of " + rival, .columns = {words("Run")}};
    const std::size_t first = trend.runs.size() - std::min(most_runs, trend.runs.size());
    for (std::size_t run = first; run < trend.runs.size(); ++run) table.rows.push_back({trend.runs[run]});
    for (const TrendLine& line : trend.lines) {
        if (line.rival != rival) continue;
        table.columns.push_back({line.quantity.name, line.quantity.definition});
        for (std::vector<Cell>& row : table.rows) row.emplace_back("–");
        for (const TrendPoint& point : line.points) {
            if (point.run < first) continue;
            Cell& cell = table.rows[point.run - first].back();
            cell = number_cell(number_at(line, point));
            if (point.is_change) cell.notes.push_back(change_word(point) + " than before");
        }
    }
    if (first > 0) table.note = "The newest " + std::to_string(most_runs) + " runs.";
    return table;
}

Axis run_axis(const Trend& trend) {
    const std::size_t stride = (trend.runs.size() + max_run_labels - 1) / max_run_labels;
    Axis axis = category_axis("Run", {});
    axis.max = static_cast<double>(trend.runs.size()) - 0.4;
    axis.is_slanted = true;
    for (std::size_t i = 0; i < trend.runs.size(); i += stride)
        axis.marks.push_back({static_cast<double>(i), trend.runs[i]});
    return axis;
}

Plot number_plot(const Trend& trend, const std::string& key, std::size_t place) {
    Plot plot{"trend_" + std::to_string(place + 1), "", ""};
    plot.x = run_axis(trend);
    plot.is_wide = true;
    const std::vector<std::string> rivals = rivals_of_trend(trend);
    Series changes{.name = "change", .mark = Mark::dots, .tone = Tone::ink};
    for (const TrendLine& line : trend.lines) {
        if (line.quantity.key != key) continue;
        plot.title = line.quantity.name;
        plot.y = {.label = line.quantity.name, .is_share = line.quantity.is_share()};
        const auto rival = std::find(rivals.begin(), rivals.end(), line.rival) - rivals.begin();
        Series series = rival_series(rivals, static_cast<std::size_t>(rival), Mark::line_dots);
        for (const TrendPoint& point : line.points) {
            const double x = static_cast<double>(point.run);
            PlotPoint& place_of = series.points.emplace_back(PlotPoint{x, point.value});
            place_of.note = trend.runs[point.run];
            if (point.ci95) {
                place_of.low = (*point.ci95)[0];
                place_of.high = (*point.ci95)[1];
            }
            if (!point.is_change) continue;
            plot.lines.push_back({.x = x - 0.5});
            changes.points.push_back({x, point.value});
            changes.points.back().note = fmt::format("{}: {} than before, p = {}", trend.runs[point.run],
                                                     change_word(point), p_text(*point.step->p_value));
        }
        plot.caption = line.quantity.definition;
        if (const std::optional<bool> higher = is_higher_better(line.quantity))
            plot.caption += *higher ? " Higher is better." : " Lower is better.";
        plot.series.push_back(std::move(series));
    }
    if (!changes.points.empty()) plot.series.push_back(std::move(changes));
    return plot;
}

Report trend_content(const Trend& trend, const std::string& title) {
    Report report;
    report.title = !title.empty()           ? title
                   : trend.runs.size() == 1 ? "Run " + trend.runs.front()
                                            : "Runs " + trend.runs.front() + " to " + trend.runs.back();
    report.lead = {{Run::plain(trend_sentence(trend) + " " + change_rule)}};
    Section changes{"changes", ""};
    changes.add(change_table(trend));
    report.headline.push_back(std::move(changes));
    Section plots{"numbers", "Numbers by run"};
    std::vector<Plot> drawn;
    for (const std::string& key : each_once(trend, [](const TrendLine& line) { return line.quantity.key; }))
        drawn.push_back(number_plot(trend, key, drawn.size()));
    plots.add(std::move(drawn));
    report.sections.push_back(std::move(plots));
    Section runs{"runs", "Runs"};
    const std::vector<std::string> rivals = rivals_of_trend(trend);
    std::vector<Section> of_each;
    for (const std::string& rival : rivals) {
        of_each.push_back({"", ""});
        of_each.back().add(run_table(trend, rival, trend.runs.size()));
    }
    add_by_rival(runs, rivals, std::move(of_each));
    report.sections.push_back(std::move(runs));
    Section left_out{"left-out", "Runs left out"};
    Table table{.columns = {words("Run"), words("Reason")}};
    for (const RunLeftOut& run : trend.left_out) table.rows.push_back({run.run, run.reason});
    left_out.add(std::move(table));
    report.sections.push_back(std::move(left_out));
    report.sections.push_back(warning_section(trend.warnings));
    report.footer = "Every number of this page is in trend.json and trend.csv, the tables in trend.md.";
    return report;
}

}  // namespace

std::vector<Table> trend_tables(const Trend& trend, std::size_t most_runs) {
    std::vector<Table> tables;
    if (Table changes = change_table(trend); !changes.rows.empty()) tables.push_back(std::move(changes));
    for (const std::string& rival : rivals_of_trend(trend))
        tables.push_back(run_table(trend, rival, most_runs));
    return tables;
}

std::string trend_sentence(const Trend& trend) {
    std::size_t changes = 0;
    for (const TrendLine& line : trend.lines) {
        for (const TrendPoint& point : line.points) changes += point.is_change ? 1 : 0;
    }
    return number_of(static_cast<long long>(trend.runs.size()), "run") + ": " +
           number_of(static_cast<long long>(changes), "change") + " between neighbours in " +
           number_of(static_cast<long long>(trend.lines.size()), "number") + ".";
}

std::filesystem::path write_trend_report(const OutputFolder& folder, const Trend& trend,
                                         const std::string& title, const Json& work) {
    StagedFiles files(folder, "report");
    Json json = trend_to_json(trend);
    json.update(work);
    files.add("trend.json", indented_text(json) + "\n");
    files.add("trend.csv", trend_csv(trend));
    return publish_report(files, trend_content(trend, title), "trend");
}

}  // namespace fovea
