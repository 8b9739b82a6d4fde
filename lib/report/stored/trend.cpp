#include "lib/report/stored/trend.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <spdlog/fmt/fmt.h>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/files/folder.hpp"
#include "lib/json/json.hpp"
#include "lib/report/stored/compare.hpp"
#include "lib/report/stored/regression_gate.hpp"
#include "lib/report/stored/report_numbers.hpp"

namespace fovea {
namespace {

namespace fs = std::filesystem;

struct Run {
    fs::path path;
    std::string name;
};

bool is_report(const fs::path& path) {
    return !is_folder(path) || is_there(path / "report.json");
}

// The folder's name; "reports/day-1/report.json" and "reports/day-1/" are called "day-1".
std::string name_of(fs::path path) {
    path = path.lexically_normal();
    if (path.filename() == "report.json") path = path.parent_path();
    if (!path.has_filename()) path = path.parent_path();
    return path.filename().string();
}

std::vector<Run> runs_of(const TrendRequest& request) {
    std::vector<Run> runs;
    std::error_code ignored;
    for (const std::string& named : request.folders) {
        if (is_report(named)) {
            runs.push_back({named, name_of(named)});
            continue;
        }
        const std::size_t before = runs.size();
        for (const fs::path& folder : folders_of(named)) {
            const bool is_hidden = folder.filename().string().starts_with('.');
            const bool is_out = !request.out.empty() && fs::equivalent(folder, request.out, ignored);
            if (!is_hidden && !is_out) runs.push_back({folder, name_of(folder)});
        }
        if (runs.size() == before)
            throw UsageError("'" + named + "' holds no report.json and no folders with reports");
    }
    // The last folder of "a/report b/report" does not tell runs apart.
    std::set<std::string> names;
    for (const Run& run : runs) names.insert(run.name);
    if (names.size() < runs.size()) {
        for (Run& run : runs) run.name = run.path.lexically_normal().string();
    }
    return runs;
}

std::vector<std::string> rivals_in(const StoredReport& report) {
    std::vector<std::string> names = rivals_of(report.json);
    if (names.empty()) names.emplace_back();
    return names;
}

StoredReport rival_in(const StoredReport& report, const std::string& name) {
    return name.empty() ? report : rival_of(report, name);
}

class TrendReader {
  public:
    explicit TrendReader(const TrendRequest& request) : request_(request), runs_(runs_of(request)) {}

    Trend read() {
        const StoredReport newest = read_newest();
        choose_lines(newest);
        std::optional<StoredReport> before;
        for (std::size_t i = 0; i < runs_.size(); ++i) {
            if (request_.progress) request_.progress(i, runs_.size());
            std::optional<StoredReport> report = read_or_leave_out(runs_[i]);
            if (!report) continue;
            std::string why = incomparable(newest.json, report->json);
            trend_.runs.push_back(runs_[i].name);
            if (why.empty() && !add_points(before, *report)) why = "it has none of the numbers";
            if (why.empty()) {
                trend_.sources.push_back(runs_[i].path.string());
                before = std::move(report);
            } else {
                trend_.runs.pop_back();
                trend_.left_out.push_back({runs_[i].name, "it is not of the newest run's task: " + why});
            }
        }
        for (TrendLine& line : trend_.lines) mark_changes(line);
        return std::move(trend_);
    }

  private:
    std::optional<StoredReport> read_or_leave_out(const Run& run) {
        try {
            return read_report(run.path.string(), true);
        } catch (const Error& error) {
            trend_.left_out.push_back({run.name, error.what(), true});
            return std::nullopt;
        }
    }

    // The last report that can be read; the runs behind it are noted, and forgotten.
    StoredReport read_newest() {
        while (!runs_.empty()) {
            if (std::optional<StoredReport> report = read_or_leave_out(runs_.back()))
                return std::move(*report);
            runs_.pop_back();
        }
        throw UsageError("none of " + counted(trend_.left_out.size(), "report") +
                         " can be read: " + trend_.left_out.front().reason);
    }

    // The headlines of all rivals, or what the metrics name: without a rival's name, that number of each.
    void choose_lines(const StoredReport& newest) {
        rivals_ = rivals_in(newest);
        std::vector<RivalMetric> wanted;
        for (const std::string& metric : request_.metrics) {
            RivalMetric of = split_metric(metric, rivals_);
            std::vector<std::string> keys;
            const std::string& first = of.rival.empty() ? rivals_.front() : of.rival;
            for (const ReportNumber& number : report_numbers(rival_in(newest, first).json))
                keys.push_back(number.key);
            of.metric = resolve_metric(of.metric, keys, "--metric: the newest report has", {}, rivals_);
            wanted.push_back(std::move(of));
        }
        for (const std::string& rival : rivals_) {
            for (const ReportNumber& number : report_numbers(rival_in(newest, rival).json)) {
                const bool is_named = std::any_of(wanted.begin(), wanted.end(), [&](const RivalMetric& of) {
                    return of.metric == number.key && (of.rival.empty() || of.rival == rival);
                });
                if (wanted.empty() ? !number.quantity || !number.quantity->headline : !is_named) continue;
                Quantity quantity = number.quantity.value_or(Quantity{"", number.key, "", Better::neither});
                quantity.key = number.key;
                trend_.lines.push_back({rival, std::move(quantity)});
            }
        }
        // "Mean" may be that of several errors of landmarks.
        std::map<std::string, std::set<std::string>> keys_of;
        for (const TrendLine& line : trend_.lines) keys_of[line.quantity.name].insert(line.quantity.key);
        for (TrendLine& line : trend_.lines) {
            Quantity& quantity = line.quantity;
            if (keys_of[quantity.name].size() > 1)
                quantity.name += " (" + quantity.key.substr(quantity.key.find('.') + 1) + ")";
        }
        if (trend_.lines.empty()) {
            throw UsageError("the newest report, " + newest.file.string() +
                             ", states no headline number; name one with --metric");
        }
    }

    // The rival of that name; where each report has one alone, that is the same one.
    std::optional<std::string> name_in(const StoredReport& report, const std::string& rival) const {
        const std::vector<std::string> names = rivals_in(report);
        if (std::find(names.begin(), names.end(), rival) != names.end()) return rival;
        return rivals_.size() == 1 && names.size() == 1 ? std::optional(names.front()) : std::nullopt;
    }

    // The values of a run, and their steps from the run before. \return whether there are some
    bool add_points(const std::optional<StoredReport>& before, const StoredReport& report) {
        bool has_some = false;
        for (const std::string& rival : rivals_) {
            const std::optional<std::string> name = name_in(report, rival);
            if (!name) continue;
            const StoredReport own = rival_in(report, *name);
            const std::optional<std::string> earlier = before ? name_in(*before, rival) : std::nullopt;
            std::vector<ComparedNumber> steps;
            if (earlier) steps = steps_between(rival_in(*before, *earlier), own);
            for (const ReportNumber& number : report_numbers(own.json)) {
                for (TrendLine& line : trend_.lines) {
                    if (line.rival != rival || line.quantity.key != number.key) continue;
                    TrendPoint point{trend_.runs.size() - 1, number.value, number.ci95};
                    for (const ComparedNumber& step : steps) {
                        if (step.key == number.key && step.difference) point.step = step;
                    }
                    line.points.push_back(std::move(point));
                    has_some = true;
                }
            }
        }
        return has_some;
    }

    std::vector<ComparedNumber> steps_between(const StoredReport& first, const StoredReport& second) {
        std::vector<ComparedNumber> numbers = compare_numbers(first.json, second.json);
        // Most commits change nothing: what is equal needs no resampling.
        if (std::all_of(numbers.begin(), numbers.end(),
                        [](const ComparedNumber& number) { return number.difference == 0.0; }))
            return numbers;
        CompareRequest compare;
        compare.first = first.file.string();
        compare.second = second.file.string();
        compare.resamples = request_.resamples;
        compare.seed = request_.seed;
        try {
            return all_numbers(compare_reports(first, second, compare), first.json, second.json);
        } catch (const Error& error) {
            trend_.warnings.push_back(
                fmt::format("No change is looked for between {} and the run before it: {}",
                            trend_.runs.back(), error.what()));
            return {};
        }
    }

    const TrendRequest& request_;
    std::vector<Run> runs_;
    std::vector<std::string> rivals_;
    Trend trend_;
};

}  // namespace

Trend read_trend(const TrendRequest& request) {
    return TrendReader(request).read();
}

}  // namespace fovea
