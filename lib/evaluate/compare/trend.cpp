#include "lib/evaluate/compare/trend.hpp"

#include <algorithm>

#include "lib/core/csv.hpp"
#include "lib/json/json.hpp"

namespace fovea {

const char* const change_rule =
    "A change is a difference between two neighbouring runs that is significant at 5 % for the whole line "
    "(z test with Holm's correction for the number of neighbours). The standard error is that of the paired "
    "bootstrap where both runs have records of the same images, pairs or probes, else that of both runs' "
    "intervals, taken to be independent.";

void mark_changes(TrendLine& line) {
    std::vector<TrendPoint*> tested;
    for (TrendPoint& point : line.points) {
        if (!point.step || !point.step->difference) continue;
        ComparedNumber& step = *point.step;
        step.p_value.reset();
        if (*step.difference == 0)
            step.p_value = 1;
        else if (step.ci95)
            step.p_value = normal_p_value(*step.difference, *step.ci95);
        if (step.p_value) tested.push_back(&point);
    }
    std::stable_sort(tested.begin(), tested.end(), [](const TrendPoint* a, const TrendPoint* b) {
        return *a->step->p_value < *b->step->p_value;
    });
    constexpr double level = 0.05;
    for (std::size_t i = 0; i < tested.size(); ++i) {
        if (*tested[i]->step->p_value > level / static_cast<double>(tested.size() - i)) break;
        tested[i]->is_change = true;
    }
}

std::string change_word(const TrendPoint& point) {
    if (!point.is_change) return {};
    const std::optional<double> worse = point.step->worse_by();
    return !worse ? "changed" : *worse > 0 ? "worse" : "better";
}

Json trend_to_json(const Trend& trend) {
    Json json{{"format", "fovea-trend"}, {"version", 1}, {"rule", change_rule}, {"runs", Json::array()}};
    for (std::size_t i = 0; i < trend.runs.size(); ++i)
        json["runs"].push_back({{"name", trend.runs[i]}, {"report", trend.sources[i]}});
    json["lines"] = Json::array();
    for (const TrendLine& line : trend.lines) {
        Json points = Json::array();
        for (const TrendPoint& point : line.points) {
            Json entry{{"run", trend.runs[point.run]}, {"value", point.value}};
            if (point.ci95) entry["ci95"] = *point.ci95;
            if (point.step) {
                entry["difference"] = *point.step->difference;
                entry["paired"] = point.step->paired;
                if (point.step->ci95) entry["difference_ci95"] = *point.step->ci95;
                if (point.step->p_value) entry["p_value"] = *point.step->p_value;
            }
            if (point.is_change) entry["change"] = change_word(point);
            points.push_back(std::move(entry));
        }
        Json entry{{"name", line.rival}, {"key", line.quantity.key}, {"points", std::move(points)}};
        if (const std::optional<bool> higher = is_higher_better(line.quantity))
            entry["higher_is_better"] = *higher;
        json["lines"].push_back(std::move(entry));
    }
    json["left_out"] = Json::array();
    for (const RunLeftOut& run : trend.left_out)
        json["left_out"].push_back({{"run", run.run}, {"reason", run.reason}});
    json["warnings"] = trend.warnings;
    return json;
}

std::string trend_csv(const Trend& trend) {
    CsvRows rows({"run", "name", "key", "value", "ci95_low", "ci95_high", "difference", "p_value", "change"});
    const auto number = [&](const std::optional<double>& value) {
        value ? rows.number(*value) : rows.empty();
    };
    for (const TrendLine& line : trend.lines) {
        for (const TrendPoint& point : line.points) {
            rows.text(trend.runs[point.run]).text(line.rival).text(line.quantity.key).number(point.value);
            for (const std::size_t end : {0, 1})
                number(point.ci95 ? std::optional((*point.ci95)[end]) : std::nullopt);
            number(point.step ? point.step->difference : std::nullopt);
            number(point.step ? point.step->p_value : std::nullopt);
            rows.text(change_word(point)).end_row();
        }
    }
    return rows.bytes();
}

}  // namespace fovea
