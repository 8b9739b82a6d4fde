#include "lib/report/tracks/track_page.hpp"

#include <algorithm>
#include <array>

#include "lib/core/text.hpp"
#include "lib/evaluate/tracks/track_statistics.hpp"
#include "lib/report/html/format.hpp"
#include "lib/report/html/html.hpp"
#include "lib/report/page/document.hpp"
#include "lib/report/page/page_parts.hpp"
#include "lib/report/tracks/track_timeline.hpp"

namespace fovea::report {
namespace {

constexpr std::array headline_keys{"hota", "det_a", "ass_a", "loc_a", "mota", "motp", "idf1"};

constexpr Decimals track_decimals{2, 3};

HtmlCell track_cell(const Number& number, bool best = false) {
    std::string html = escape_html(value_text(number, track_decimals));
    const std::string interval = interval_text(number, track_decimals);
    if (!interval.empty()) html += small_line(interval);
    return {html, number.value ? shortest_number(*number.value) : "-1", best};
}

HtmlCell count_cell(double count) {
    return {grouped(static_cast<long long>(count)), shortest_number(count)};
}

std::string track_tiles(const TrackEvaluation& evaluation) {
    std::string html = "<div class=\"tiles\">\n";
    for (const char* key : headline_keys) {
        const Number& number = number_of_key(evaluation.estimates, key);
        const std::string interval = interval_text(number, track_decimals);
        html +=
            tile(number.quantity.name, value_text(number, track_decimals),
                 number.quantity.definition + (interval.empty() ? "" : "\n95\u00A0% CI\u00A0" + interval));
    }
    const ClearNumbers& clear = evaluation.numbers.clear;
    html += tile("Switches", grouped(static_cast<long long>(clear.switches)),
                 "of " + grouped(static_cast<long long>(clear.tp)) + " boxes found; " +
                     grouped(static_cast<long long>(clear.fragments)) + " fragments");
    return html + "</div>\n";
}

bool is_best_tracker(const TrackPage& page, std::size_t i, const char* key) {
    const Number& own = number_of_key(page.evaluations[i].estimates, key);
    return page.evaluations.size() > 1 &&
           std::all_of(page.evaluations.begin(), page.evaluations.end(), [&](const TrackEvaluation& other) {
               const Number& number = number_of_key(other.estimates, key);
               return !number.value || !own.value ||
                      value_text(number, track_decimals) == value_text(own, track_decimals) ||
                      is_better(own.quantity, *own.value, *number.value);
           });
}

std::string tracker_comparison(const TrackPage& page) {
    std::vector<HtmlColumn> columns{{"Tracker", false}};
    for (const char* key : headline_keys) {
        const Quantity& statistic = number_of_key(page.evaluations[0].estimates, key).quantity;
        columns.push_back({statistic.name, true, statistic.definition});
    }
    for (const char* name : {"Switches", "Fragments"}) columns.push_back({name});
    std::vector<HtmlRow> rows;
    for (std::size_t i = 0; i < page.evaluations.size(); ++i) {
        const TrackEvaluation& evaluation = page.evaluations[i];
        HtmlRow row{{series_name(page.names, i), page.names[i]}};
        for (const char* key : headline_keys)
            row.push_back(
                track_cell(number_of_key(evaluation.estimates, key), is_best_tracker(page, i, key)));
        row.push_back(count_cell(evaluation.numbers.clear.switches));
        row.push_back(count_cell(evaluation.numbers.clear.fragments));
        rows.push_back(std::move(row));
    }
    return "<div class=\"comparison\">" + table(columns, rows, true, "Trackers compared") + "</div>\n";
}

std::string lead_of(const TrackPage& page) {
    const TrackEvaluation& first = page.evaluations[0];
    const TrackCounts& counts = first.numbers.counts;
    const std::string data =
        escape_html(number_of(static_cast<long long>(counts.truth_tracks), "track") + " with " +
                    counted(static_cast<std::size_t>(counts.truth_boxes), "box", "boxes") + " in " +
                    number_of(static_cast<long long>(counts.frames), "frame") + " of " +
                    number_of(static_cast<long long>(first.videos.size()), "video")) +
        " of <code>" + breakable(page.dataset.name) + "</code>. ";
    if (page.evaluations.size() > 1) {
        return strong(grouped(static_cast<long long>(page.evaluations.size())) + " trackers") +
               " were compared on " + data;
    }
    return strong(page.names[0]) + " was evaluated on " + data + "Its HOTA is " +
           strong(value_text(number_of_key(first.estimates, "hota"), track_decimals)) + ", with " +
           strong(grouped(static_cast<long long>(first.numbers.clear.switches))) +
           " switches of identity and an IDF1 of " +
           strong(value_text(number_of_key(first.estimates, "idf1"), track_decimals)) + ".";
}

std::string all_numbers(const TrackPage& page) {
    std::vector<HtmlColumn> columns{{"Number", false}};
    for (const std::string& name : page.names) columns.push_back({name});
    const std::string other = page.evaluations[0].options.mode == TrackMode::strict ? "corrected" : "strict";
    if (page.evaluations.size() == 1) columns.push_back({other, true, "in the other mode"});
    columns.push_back({"Definition", false});
    const Numbers others = track_estimates(page.evaluations[0].other);
    std::vector<HtmlRow> rows;
    for (std::size_t k = 0; k < page.evaluations[0].estimates.size(); ++k) {
        const Number& first = page.evaluations[0].estimates[k];
        HtmlRow row{{escape_html(first.quantity.name)}};
        for (const TrackEvaluation& evaluation : page.evaluations)
            row.push_back(track_cell(evaluation.estimates[k]));
        if (page.evaluations.size() == 1) row.push_back(track_cell(others[k]));
        row.push_back({"<small>" + escape_html(first.quantity.definition) + "</small>"});
        rows.push_back(std::move(row));
    }
    return table(columns, rows, false, "All numbers");
}

std::string differences(const TrackPage& page) {
    std::string html;
    for (const TrackComparison& comparison : page.comparisons) {
        std::vector<HtmlRow> rows;
        for (const PairedNumber& number : comparison.numbers) {
            if (!number.difference) continue;
            const int digits = number.quantity.is_share() ? 2 : 3;
            const double scale = number.quantity.is_share() ? 100 : 1;
            rows.push_back({{escape_html(number.quantity.name)},
                            {fixed(scale * *number.difference, digits)},
                            {number.ci95 ? fixed(scale * (*number.ci95)[0], digits) + " to " +
                                               fixed(scale * (*number.ci95)[1], digits)
                                         : "–"},
                            {number.p_value ? fixed(*number.p_value, 3) : "–"}});
        }
        html += "<h3>" + escape_html(comparison.second + " − " + comparison.first) + "</h3>\n" +
                table({{"Number", false},
                       {"Difference", true, "in points of percent where the number is a share"},
                       {"95 % interval", true, "paired bootstrap"},
                       {"p", true, "two-sided"}},
                      rows);
    }
    return html;
}

std::string video_table(const TrackEvaluation& evaluation) {
    std::vector<HtmlColumn> columns{{"Video", false}};
    const Numbers names = track_estimates({});
    for (const char* key : headline_keys) columns.push_back({number_of_key(names, key).quantity.name});
    for (const char* name : {"Switches", "Fragments", "Missed", "False", "Tracks", "Tracks found", "Frames"})
        columns.push_back({name});
    std::vector<HtmlRow> rows;
    for (const VideoEvaluation& video : evaluation.videos) {
        const TrackNumbers& n = video.numbers;
        const Numbers estimates = track_estimates(n);
        HtmlRow row{{breakable(video.name), video.name}};
        for (const char* key : headline_keys) row.push_back(track_cell(number_of_key(estimates, key)));
        for (const double count : {n.clear.switches, n.clear.fragments, n.clear.fn, n.clear.fp,
                                   n.counts.truth_tracks, n.counts.result_tracks, n.counts.frames}) {
            row.push_back(count_cell(count));
        }
        rows.push_back(std::move(row));
    }
    return table(columns, rows, true, "Each video");
}

std::string videos_part(const TrackPage& page) {
    std::string html = charts(page.plots.videos);
    for (std::size_t i = 0; i < page.evaluations.size(); ++i) {
        const std::string rows = video_table(page.evaluations[i]);
        html += page.evaluations.size() == 1 ? rows : folded(page.names[i], rows, i == 0);
    }
    return html;
}

std::string switch_list(const VideoEvaluation& video) {
    constexpr std::size_t most = 50;
    const std::vector<IdentitySwitch> switches = timeline_of(video).switches;
    if (switches.empty()) return {};
    std::vector<HtmlRow> rows;
    for (std::size_t i = 0; i < std::min(most, switches.size()); ++i) {
        const IdentitySwitch& change = switches[i];
        rows.push_back({{std::to_string(video.frames[change.frame])},
                        {std::to_string(video.prepared.truth_tracks[change.truth])},
                        {std::to_string(video.prepared.result_tracks[change.before])},
                        {std::to_string(video.prepared.result_tracks[change.after])}});
    }
    std::string title = "Switches in " + video.name;
    if (switches.size() > most)
        title += ": the first " + std::to_string(most) + " of " + std::to_string(switches.size());
    return folded(title, table({{"Frame, from 0"}, {"True track"}, {"Found as"}, {"then as"}}, rows, false,
                               "Frames in which a true track changes its number"));
}

std::string timelines_part(const TrackPage& page) {
    std::string html = plot_legend(page.names);
    for (const DrawnPlot& plot : page.plots.timelines) html += chart(plot);
    for (const std::size_t v : videos_of_timelines(page.evaluations[0]))
        html += switch_list(page.evaluations[0].videos[v]);
    return html;
}

std::string motmetrics_part(const TrackPage& page) {
    std::vector<HtmlColumn> columns{{"Tracker", false}};
    for (const char* name : {"IDF1", "IDP", "IDR", "Recall", "Precision", "MT", "PT", "ML", "FP", "FN", "IDs",
                             "FM", "MOTA", "MOTP", "IDt", "IDa", "IDm"}) {
        columns.push_back({name});
    }
    std::vector<HtmlRow> rows;
    for (std::size_t i = 0; i < page.evaluations.size(); ++i) {
        const MotmetricsNumbers& n = page.evaluations[i].motmetrics;
        HtmlRow row{{series_name(page.names, i), page.names[i]}};
        for (const double rate : {n.idf1, n.idp, n.idr, n.recall, n.precision})
            row.push_back({percent(rate, 1)});
        for (const double count : {n.mostly_tracked, n.partly_tracked, n.mostly_lost, n.false_positives,
                                   n.misses, n.switches, n.fragments}) {
            row.push_back(count_cell(count));
        }
        row.push_back({percent(n.mota, 1)});
        row.push_back({fixed(n.motp, 3)});
        for (const double count : {n.transfers, n.ascends, n.migrates}) row.push_back(count_cell(count));
        rows.push_back(std::move(row));
    }
    return table(columns, rows, false, "Numbers of motmetrics") +
           "<p class=\"note below\">As motmetrics 1.4.0 computes them: MOTP is a mean distance (1 − IoU), "
           "and a "
           "true track keeps the result that it had before any gap.</p>\n";
}

std::string track_definitions(const TrackPage& page) {
    std::string html = "<dl>";
    for (const Number& estimate : page.evaluations[0].estimates)
        html += definition(estimate.quantity.name, estimate.quantity.definition);
    html += definition("Switch", "a true track is found as another track of the results than the last time") +
            definition("Fragment", "a true track is found again after it was lost");
    if (!page.evaluations[0].units.empty())
        html += definition("95 % interval", "percentile bootstrap over " + page.evaluations[0].units);
    return html + "</dl>\n";
}

}  // namespace

SectionPage track_page(const TrackPage& page) {
    SectionPage section;
    section.lead = lead_of(page);
    section.protocol = track_protocol_description(page.evaluations[0]);
    section.headline =
        page.evaluations.size() == 1 ? track_tiles(page.evaluations[0]) : tracker_comparison(page);
    section.parts = {{"numbers", "Numbers", all_numbers(page)},
                     {"differences", "Differences", differences(page)},
                     {"thresholds", "By threshold", plot_legend(page.names) + charts(page.plots.thresholds)},
                     {"videos", "Videos", videos_part(page)},
                     {"timelines", "Over time", timelines_part(page)},
                     {"motmetrics", "motmetrics", motmetrics_part(page)}};
    section.definitions = track_definitions(page);
    for (std::size_t i = 0; i < page.evaluations.size(); ++i) {
        for (const std::string& warning : page.evaluations[i].warnings) {
            section.warnings.push_back(page.evaluations.size() > 1 ? page.names[i] + ": " + warning
                                                                   : warning);
        }
    }
    section.files =
        "HOTA by threshold in thresholds.csv, the numbers of each video in numbers.csv, every switch in "
        "switches.csv";
    section.style = "figure.chart + figure.chart, figure.chart + details { margin-top: 20px; }\n";
    return section;
}

MarkdownPage track_markdown(const TrackPage& page) {
    const TrackEvaluation& first = page.evaluations[0];
    MarkdownPage file;
    file.lead = number_of(static_cast<long long>(first.numbers.counts.truth_tracks), "track") + " in " +
                number_of(first.images, "frame") + " of " +
                number_of(static_cast<long long>(first.videos.size()), "video") + " of " + page.dataset.name +
                ".";
    file.protocol = track_protocol_description(first);
    MarkdownRows rows = markdown_heading("Number", page.names);
    std::vector<const Numbers*> lists;
    for (const TrackEvaluation& evaluation : page.evaluations) lists.push_back(&evaluation.estimates);
    add_numbers(rows, lists, {2, 3});
    add_counts(rows, "Switches", page.evaluations,
               [](const TrackEvaluation& e) { return e.numbers.clear.switches; });
    add_counts(rows, "Fragments", page.evaluations,
               [](const TrackEvaluation& e) { return e.numbers.clear.fragments; });
    add_counts(rows, "Missed boxes", page.evaluations,
               [](const TrackEvaluation& e) { return e.numbers.clear.fn; });
    add_counts(rows, "False boxes", page.evaluations,
               [](const TrackEvaluation& e) { return e.numbers.clear.fp; });
    file.tables = markdown_table(rows);
    if (first.videos.size() > 1) {
        MarkdownRows videos = markdown_heading("HOTA by video", page.names);
        for (std::size_t v = 0; v < first.videos.size(); ++v) {
            std::vector<std::string> row{escape_markdown(first.videos[v].name)};
            for (const TrackEvaluation& evaluation : page.evaluations)
                row.push_back(percent(mean_of_levels(evaluation.videos[v].numbers.hota.hota), 2));
            videos.push_back(std::move(row));
        }
        file.tables += "\n" + markdown_table(videos);
    }
    if (!first.units.empty()) file.note = interval_note(first.options.bootstrap_resamples, first.units);
    file.warnings = page.dataset.warnings;
    for (std::size_t i = 0; i < page.evaluations.size(); ++i) {
        for (const std::string& warning : page.evaluations[i].warnings)
            file.warnings.push_back(page.names[i] + ": " + warning);
    }
    file.plots = page.plots.all();
    return file;
}

}  // namespace fovea::report
