#include "lib/core/text.hpp"
#include "lib/evaluate/tracks/track_statistics.hpp"
#include "lib/report/model/number_tables.hpp"
#include "lib/report/tracks/track_content.hpp"

namespace fovea::report {
namespace {

struct TrackCount {
    const char* title;
    double (*value)(const TrackNumbers& numbers);
};
constexpr TrackCount track_counts[] = {
    {"Switches", [](const TrackNumbers& n) { return n.clear.switches; }},
    {"Fragments", [](const TrackNumbers& n) { return n.clear.fragments; }},
    {"Missed", [](const TrackNumbers& n) { return n.clear.fn; }},
    {"False", [](const TrackNumbers& n) { return n.clear.fp; }},
    {"Tracks", [](const TrackNumbers& n) { return n.counts.truth_tracks; }},
    {"Tracks found", [](const TrackNumbers& n) { return n.counts.result_tracks; }},
    {"Frames", [](const TrackNumbers& n) { return n.counts.frames; }},
};

void add_counts(Table& table, const std::vector<const TrackNumbers*>& numbers) {
    for (const TrackCount& count : track_counts) {
        std::vector<Cell> cells;
        for (const TrackNumbers* of : numbers) cells.push_back(count_cell(count.value(*of)));
        add_column(table, {count.title}, std::move(cells));
    }
}

}  // namespace

Table tracker_table(const std::vector<TrackEvaluation>& evaluations, const std::vector<std::string>& names) {
    NumberLists lists;
    std::vector<const TrackNumbers*> numbers;
    for (const TrackEvaluation& evaluation : evaluations) {
        lists.push_back(&evaluation.estimates);
        numbers.push_back(&evaluation.numbers);
    }
    Table table = rivals_by_number("Tracker", names, lists, shown_track_numbers, track_decimals);
    add_counts(table, numbers);
    if (!evaluations[0].units.empty())
        table.note = "95 % intervals: bootstrap over " + evaluations[0].units + ".";
    return table;
}

Table track_video_table(const TrackEvaluation& evaluation) {
    std::vector<std::string> videos;
    std::vector<Numbers> estimates;
    std::vector<const TrackNumbers*> numbers;
    for (const VideoEvaluation& video : evaluation.videos) {
        videos.push_back(video.name);
        estimates.push_back(track_estimates(video.numbers));
        numbers.push_back(&video.numbers);
    }
    NumberLists lists;
    for (const Numbers& list : estimates) lists.push_back(&list);
    Table table = rivals_by_number("Video", videos, lists, shown_track_numbers, track_decimals);
    table.rivals = Rivals::none;
    for (std::vector<Cell>& row : table.rows) row[0].style.reset();
    add_counts(table, numbers);
    return table;
}

Table track_difference_table(const TrackComparison& comparison) {
    Table table{.title = comparison.second + " − " + comparison.first,
                .columns = {words("Number"),
                            {"Difference", "in points of percent where the number is a share"},
                            {"95 % interval", "paired bootstrap"},
                            {"p", "two-sided"}}};
    for (const PairedNumber& number : comparison.numbers) {
        if (!number.difference) continue;
        const int digits = number.quantity.is_share() ? track_decimals.shares : track_decimals.others;
        const double scale = number.quantity.is_share() ? 100 : 1;
        Cell interval("–");
        if (number.ci95)
            interval =
                fixed(scale * (*number.ci95)[0], digits) + " to " + fixed(scale * (*number.ci95)[1], digits);
        table.rows.push_back({number.quantity.name, value_cell(scale * *number.difference, digits), interval,
                              number.p_value ? value_cell(*number.p_value, 3) : Cell("–")});
    }
    return table;
}

}  // namespace fovea::report
