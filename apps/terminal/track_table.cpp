#include "apps/terminal/track_table.hpp"

#include <array>
#include <optional>

#include <spdlog/fmt/fmt.h>

#include "apps/terminal/console.hpp"
#include "lib/evaluate/tracks/track_json.hpp"
#include "lib/evaluate/tracks/track_statistics.hpp"

namespace fovea {
namespace {

constexpr std::array shown_keys{"hota", "det_a", "ass_a", "loc_a", "mota", "motp", "idf1"};
/// Videos beyond this number are in report.json alone.
constexpr std::size_t max_videos = 30;

std::string percents(double value) {
    return fmt::format("{:.2f}", 100 * value);
}

std::vector<std::string> row_of(const std::string& name, const TrackNumbers& numbers) {
    std::vector<std::string> row{name};
    const Numbers estimates = track_estimates(numbers);
    for (const char* key : shown_keys) row.push_back(percents(*number_of_key(estimates, key).value));
    for (const double count : {numbers.clear.switches, numbers.clear.fragments, numbers.clear.fn,
                               numbers.clear.fp, numbers.counts.truth_tracks, numbers.counts.result_tracks}) {
        row.push_back(fmt::format("{:.0f}", count));
    }
    return row;
}

std::vector<std::string> interval_row(const TrackEvaluation& evaluation) {
    std::vector<std::string> row{"95 %"};
    bool is_any = false;
    for (const char* key : shown_keys) {
        const std::optional<Interval>& ci95 = number_of_key(evaluation.estimates, key).ci95;
        is_any = is_any || ci95.has_value();
        row.push_back(ci95 ? percents((*ci95)[0]) + "-" + percents((*ci95)[1]) : "");
    }
    if (!is_any) return {};
    row.resize(row.size() + 6);
    return row;
}

std::string table_of(const TrackEvaluation& evaluation) {
    std::vector<std::vector<std::string>> rows{{evaluation.name, "HOTA", "DetA", "AssA", "LocA", "MOTA",
                                                "MOTP", "IDF1", "switches", "fragments", "missed", "false",
                                                "tracks", "found tracks"}};
    const bool are_shown = evaluation.videos.size() <= max_videos;
    if (are_shown) {
        for (const VideoEvaluation& video : evaluation.videos)
            rows.push_back(row_of(video.name, video.numbers));
    }
    if (evaluation.videos.size() != 1) rows.push_back(row_of("all", evaluation.numbers));
    std::vector<std::string> intervals = interval_row(evaluation);
    if (!intervals.empty()) rows.push_back(std::move(intervals));
    std::string text = format_table(rows);
    if (!evaluation.units.empty() && evaluation.options.bootstrap_resamples > 0)
        text += "95 %: bootstrap over " + evaluation.units + "\n";
    return text;
}

std::string differences_of(const TrackComparison& comparison) {
    std::vector<std::vector<std::string>> rows{
        {comparison.second + " - " + comparison.first, "difference", "95 %", "p"}};
    for (const PairedNumber& number : comparison.numbers) {
        bool is_shown = false;
        for (const char* key : shown_keys) is_shown = is_shown || number.quantity.key == key;
        if (!is_shown || !number.difference) continue;
        rows.push_back(
            {number.quantity.name, fmt::format("{:+.2f}", 100 * *number.difference),
             number.ci95 ? fmt::format("{:+.2f} to {:+.2f}", 100 * (*number.ci95)[0], 100 * (*number.ci95)[1])
                         : "-",
             number.p_value ? fmt::format("{:.3f}", *number.p_value) : "-"});
    }
    return format_table(rows);
}

}  // namespace

std::string track_table(const std::vector<TrackEvaluation>& evaluations) {
    std::string text;
    std::vector<std::string> names;
    for (const TrackEvaluation& evaluation : evaluations) {
        text += (text.empty() ? "" : "\n") + table_of(evaluation);
        names.push_back(evaluation.name);
    }
    for (const TrackComparison& comparison : compare_trackers(evaluations, names))
        text += "\n" + differences_of(comparison);
    return text;
}

}  // namespace fovea
