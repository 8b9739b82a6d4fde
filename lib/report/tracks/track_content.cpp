#include "lib/report/tracks/track_content.hpp"

#include <algorithm>
#include <numeric>

#include "lib/core/text.hpp"
#include "lib/evaluate/tracks/track_statistics.hpp"
#include "lib/report/model/number_tables.hpp"
#include "lib/report/tracks/track_timeline.hpp"

namespace fovea::report {
namespace {

constexpr std::size_t max_timelines = 3;
constexpr std::size_t max_switches = 50;

Tiles track_tiles(const TrackEvaluation& evaluation) {
    Tiles tiles;
    for (const std::string& key : shown_track_numbers)
        tiles.tiles.push_back(number_tile(number_of_key(evaluation.estimates, key), track_decimals));
    const ClearNumbers& clear = evaluation.numbers.clear;
    tiles.tiles.push_back({"Switches", grouped(static_cast<long long>(clear.switches)), "",
                           "of " + grouped(static_cast<long long>(clear.tp)) + " boxes found; " +
                               grouped(static_cast<long long>(clear.fragments)) + " fragments"});
    return tiles;
}

Text lead_of(const TrackersCompared& trackers) {
    const TrackEvaluation& first = trackers.evaluations[0];
    const TrackCounts& counts = first.numbers.counts;
    const std::string data = number_of(static_cast<long long>(counts.truth_tracks), "track") + " with " +
                             counted(static_cast<std::size_t>(counts.truth_boxes), "box", "boxes") + " in " +
                             number_of(static_cast<long long>(counts.frames), "frame") + " of " +
                             number_of(static_cast<long long>(first.videos.size()), "video") + " of ";
    if (trackers.evaluations.size() > 1) {
        return {Run::strong(grouped(static_cast<long long>(trackers.evaluations.size())) + " trackers"),
                Run::plain(" were compared on " + data), Run::code(trackers.dataset.name), Run::plain(".")};
    }
    const auto value = [&](const char* key) {
        return Run::strong(value_text(number_of_key(first.estimates, key), track_decimals));
    };
    return {Run::strong(trackers.names[0]),
            Run::plain(" was evaluated on " + data),
            Run::code(trackers.dataset.name),
            Run::plain(". Its HOTA is "),
            value("hota"),
            Run::plain(", with "),
            Run::strong(grouped(static_cast<long long>(first.numbers.clear.switches))),
            Run::plain(" switches of identity and an IDF1 of "),
            value("idf1"),
            Run::plain(".")};
}

Section numbers_section(const TrackersCompared& trackers) {
    NumberLists lists;
    for (const TrackEvaluation& evaluation : trackers.evaluations) lists.push_back(&evaluation.estimates);
    const TrackEvaluation& first = trackers.evaluations[0];
    Table table = numbers_by_rival(trackers.names, lists, track_decimals);
    if (lists.size() == 1) {
        // Evaluations of one tracker hold the numbers of the other mode, too.
        table.rivals = Rivals::none;
        std::vector<Cell> others;
        for (const Number& number : track_estimates(first.other))
            others.push_back(number_cell(number, track_decimals));
        add_column(table,
                   {first.options.mode == TrackMode::strict ? "corrected" : "strict", "in the other mode"},
                   std::move(others));
    }
    add_definitions(table, *lists[0]);
    Section section{"numbers", "Numbers"};
    section.add(std::move(table));
    return section;
}

Section differences_section(const TrackersCompared& trackers) {
    Section section{"differences", "Differences"};
    for (const TrackComparison& comparison : trackers.comparisons)
        section.add(track_difference_table(comparison));
    return section;
}

Section videos_section(const TrackersCompared& trackers) {
    Section section{"videos", "Videos"};
    section.add(track_video_plots(trackers));
    std::vector<Section> of_each(trackers.evaluations.size());
    for (std::size_t i = 0; i < of_each.size(); ++i)
        of_each[i].add(track_video_table(trackers.evaluations[i]));
    add_by_rival(section, trackers.names, std::move(of_each));
    return section;
}

/// The videos with the most switches.
std::vector<std::size_t> videos_of_timelines(const TrackEvaluation& evaluation) {
    std::vector<std::size_t> videos(evaluation.videos.size());
    std::iota(videos.begin(), videos.end(), std::size_t{0});
    std::stable_sort(videos.begin(), videos.end(), [&](std::size_t a, std::size_t b) {
        return evaluation.videos[a].numbers.clear.switches > evaluation.videos[b].numbers.clear.switches;
    });
    if (videos.size() > max_timelines) videos.resize(max_timelines);
    return videos;
}

Section switches_section(const VideoEvaluation& video, std::size_t number) {
    const std::vector<IdentitySwitch> switches = timeline_of(video).switches;
    Section section{"switches-" + std::to_string(number), "Switches in " + video.name};
    section.fold = Fold::closed;
    if (switches.size() > max_switches)
        section.title +=
            ": the first " + std::to_string(max_switches) + " of " + std::to_string(switches.size());
    Table table{.columns = {{"Frame, from 0"}, {"True track"}, {"Found as"}, {"then as"}}};
    for (std::size_t i = 0; i < std::min(max_switches, switches.size()); ++i) {
        const IdentitySwitch& change = switches[i];
        table.rows.push_back({std::to_string(video.frames[change.frame]),
                              std::to_string(video.prepared.truth_tracks[change.truth]),
                              std::to_string(video.prepared.result_tracks[change.before]),
                              std::to_string(video.prepared.result_tracks[change.after])});
    }
    section.add(std::move(table));
    return section;
}

Section timelines_section(const TrackersCompared& trackers) {
    Section section{"timelines", "Over time"};
    std::size_t number = 1;
    for (const std::size_t video : videos_of_timelines(trackers.evaluations[0])) {
        section.add(track_time_plots(trackers, video, number));
        section.sections.push_back(switches_section(trackers.evaluations[0].videos[video], number));
        ++number;
    }
    return section;
}

Section motmetrics_section(const TrackersCompared& trackers) {
    struct MotmetricsColumn {
        const char* title;
        Cell (*cell)(const MotmetricsNumbers& numbers);
    };
    static constexpr MotmetricsColumn shown[] = {
        {"IDF1", [](const MotmetricsNumbers& n) { return share_cell(n.idf1); }},
        {"IDP", [](const MotmetricsNumbers& n) { return share_cell(n.idp); }},
        {"IDR", [](const MotmetricsNumbers& n) { return share_cell(n.idr); }},
        {"Recall", [](const MotmetricsNumbers& n) { return share_cell(n.recall); }},
        {"Precision", [](const MotmetricsNumbers& n) { return share_cell(n.precision); }},
        {"MT", [](const MotmetricsNumbers& n) { return count_cell(n.mostly_tracked); }},
        {"PT", [](const MotmetricsNumbers& n) { return count_cell(n.partly_tracked); }},
        {"ML", [](const MotmetricsNumbers& n) { return count_cell(n.mostly_lost); }},
        {"FP", [](const MotmetricsNumbers& n) { return count_cell(n.false_positives); }},
        {"FN", [](const MotmetricsNumbers& n) { return count_cell(n.misses); }},
        {"IDs", [](const MotmetricsNumbers& n) { return count_cell(n.switches); }},
        {"FM", [](const MotmetricsNumbers& n) { return count_cell(n.fragments); }},
        {"MOTA", [](const MotmetricsNumbers& n) { return share_cell(n.mota); }},
        {"MOTP", [](const MotmetricsNumbers& n) { return value_cell(n.motp, 3); }},
        {"IDt", [](const MotmetricsNumbers& n) { return count_cell(n.transfers); }},
        {"IDa", [](const MotmetricsNumbers& n) { return count_cell(n.ascends); }},
        {"IDm", [](const MotmetricsNumbers& n) { return count_cell(n.migrates); }},
    };
    Table table{.columns = {words("Tracker")}};
    for (const MotmetricsColumn& column : shown) table.columns.push_back({column.title});
    for (std::size_t i = 0; i < trackers.evaluations.size(); ++i) {
        std::vector<Cell> row{rival_cell(trackers.names, i)};
        for (const MotmetricsColumn& column : shown)
            row.push_back(column.cell(trackers.evaluations[i].motmetrics));
        table.rows.push_back(std::move(row));
    }
    table.note =
        "As motmetrics 1.4.0 computes them: MOTP is a mean distance (1 − IoU), and a true track keeps the "
        "result that it had before any gap.";
    Section section{"motmetrics", "motmetrics"};
    section.add(std::move(table));
    return section;
}

Definitions track_definitions(const TrackEvaluation& evaluation) {
    Definitions definitions = definitions_of(evaluation.estimates);
    definitions.items.push_back(
        {"Switch", "a true track is found as another track of the results than the last time"});
    definitions.items.push_back({"Fragment", "a true track is found again after it was lost"});
    if (!evaluation.units.empty())
        definitions.items.push_back({"95 % interval", "percentile bootstrap over " + evaluation.units});
    return definitions;
}

}  // namespace

PartContent track_content(const TrackersCompared& trackers) {
    const TrackEvaluation& first = trackers.evaluations[0];
    PartContent content;
    content.lead = {lead_of(trackers)};
    content.protocol = track_protocol_description(first);
    if (trackers.evaluations.size() == 1) {
        content.headline = {track_tiles(first)};
    } else {
        content.headline = {tracker_table(trackers.evaluations, trackers.names)};
    }
    Section thresholds{"thresholds", "By threshold"};
    thresholds.add(track_threshold_plots(trackers));
    content.sections = {numbers_section(trackers),   differences_section(trackers),
                        std::move(thresholds),       videos_section(trackers),
                        timelines_section(trackers), motmetrics_section(trackers)};
    content.definitions = track_definitions(first);
    for (std::size_t i = 0; i < trackers.evaluations.size(); ++i) {
        for (const std::string& warning : trackers.evaluations[i].warnings) {
            content.warnings.push_back(trackers.evaluations.size() > 1 ? trackers.names[i] + ": " + warning
                                                                       : warning);
        }
    }
    content.files =
        "HOTA by threshold in thresholds.csv, the numbers of each video in numbers.csv, every switch in "
        "switches.csv";
    return content;
}

}  // namespace fovea::report
