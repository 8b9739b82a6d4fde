#include "lib/report/comparison/comparison_report.hpp"

#include <algorithm>
#include <cmath>

#include <spdlog/fmt/fmt.h>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_text.hpp"
#include "lib/report/comparison/comparison_content.hpp"
#include "lib/report/page/report_part.hpp"

namespace fovea {
namespace {

using namespace report;

std::string value_text(const ComparedNumber& number, const std::optional<double>& value) {
    if (!value) return "–";
    if (number.is_rate) return percent(*value);
    const bool is_count = *value == std::floor(*value) && std::abs(*value) >= 2 && std::abs(*value) < 1e15;
    if (is_count) return grouped(static_cast<long long>(*value));
    return std::abs(*value) < 100 ? fixed(*value, 3) : compact(*value);
}

}  // namespace

std::string report::difference_text(const ComparedNumber& number, double difference) {
    const double shown = number.is_rate ? 100 * difference : difference;
    const int decimals = number.is_rate ? 1 : 3;
    const std::string text = fixed(std::abs(shown), decimals);
    const bool is_zero = text == fixed(0, decimals);
    return (is_zero ? "" : difference > 0 ? "+" : "−") + text;
}

std::string report::p_text(double p) {
    return p < 0.001 ? fmt::format("{:.1e}", p) : fixed(p, 3);
}

Table comparison_table(const Comparison& comparison) {
    Table table{.title = "Numbers of A and B",
                .columns = {words("Number"),
                            {comparison.names[0]},
                            {comparison.names[1]},
                            {"B − A"},
                            {"95 % interval"},
                            {"p", "Two-sided"},
                            {"Cohen's h", "Effect size of rates"}},
                .rivals = Rivals::columns,
                .note =
                    "Differences of rates are in percentage points. The better side stands out where the "
                    "interval of the difference leaves out 0. " +
                    comparison.method};
    const auto is_judged = [](const ComparedNumber& number) { return number.higher_is_better.has_value(); };
    const bool any = std::any_of(comparison.numbers.begin(), comparison.numbers.end(), is_judged);
    for (const ComparedNumber& number : comparison.numbers) {
        if (any && !is_judged(number)) continue;
        const auto side = [&](const std::optional<double>& value) {
            Cell cell(value_text(number, value));
            cell.value = value;
            if (number.worse_by() && number.significant())
                cell.better = *number.higher_is_better ? Better::higher : Better::lower;
            return cell;
        };
        table.rows.push_back({number.name, side(number.first), side(number.second),
                              number.difference ? difference_text(number, *number.difference) : "–",
                              number.ci95 ? difference_text(number, (*number.ci95)[0]) + " to " +
                                                difference_text(number, (*number.ci95)[1])
                                          : "–",
                              number.p_value ? p_text(*number.p_value) : "–",
                              number.effect_h ? fixed(*number.effect_h, 2) : "–"});
    }
    return table;
}

std::string faces_sentence(const ComparedDetections& detections) {
    const McNemar& faces = detections.changes.faces;
    const auto many = [](auto count, const std::string& noun) {
        return grouped(count) + " " + noun + (count == 1 ? "" : "s");
    };
    return fmt::format(
        "{} found by A alone and {} by B alone {}; McNemar p = {} ({}). "
        "{} raised by A alone, {} by B alone, {} by both.",
        many(faces.only_first, "face"), grouped(faces.only_second), detections.at, p_text(faces.p_value),
        faces.exact ? "exact binomial" : "chi-squared, continuity correction",
        many(detections.changes.alarms_lost, "false positive"), grouped(detections.changes.alarms_gained),
        grouped(detections.changes.alarms_common));
}

std::filesystem::path write_comparison_report(const OutputFolder& folder, const Comparison& comparison,
                                              const ComparisonReportOptions& options) {
    StagedFiles files(folder, "report");
    Json json = comparison_to_json(comparison);
    add_verdicts(options.verdicts, json);
    files.add("compare.json", indented_text(json) + "\n");
    return publish_report(files, comparison_content(comparison, options), "compare");
}

}  // namespace fovea
