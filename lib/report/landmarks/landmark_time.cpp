#include "lib/report/landmarks/landmark_time.hpp"

#include "lib/core/text.hpp"
#include "lib/report/html/format.hpp"
#include "lib/report/html/html.hpp"
#include "lib/report/page/document.hpp"
#include "lib/report/page/page_parts.hpp"

namespace fovea::report {
namespace {

constexpr Decimals time_decimals{1, 4};

HtmlCell time_cell(const Number& number) {
    if (!number.value) return {"–", "-1"};
    std::string html = escape_html(value_text(number, time_decimals));
    if (number.ci95) html += small_line(interval_text(number, time_decimals));
    return {html, shortest_number(*number.value)};
}

HtmlCell value_cell(const std::optional<double>& value) {
    return value ? HtmlCell{fixed(*value, 4), shortest_number(*value)} : HtmlCell{"–", "-1"};
}

std::string motion_table(const LandmarkPage& page) {
    std::vector<HtmlRow> rows;
    for (std::size_t i = 0; i < page.evaluations.size(); ++i) {
        const LandmarksOverTime& over_time = *page.evaluations[i].over_time;
        HtmlRow row{{series_name(page.names, i), page.names[i]}, {grouped(over_time.steps)}};
        for (const Number& number : over_time.jitter) row.push_back(time_cell(number));
        row.push_back(time_cell(number_of_key(over_time.true_motion, "mean")));
        rows.push_back(std::move(row));
    }
    return table({{"Landmarker", false},
                  {"Steps", true, "faces found in a frame and the one before"},
                  {"Mean jitter", true, "movement of the points against the true ones, from frame to frame"},
                  {"Median jitter"},
                  {"95th percentile"},
                  {"Mean true motion", true, "movement of the true points"}},
                 rows, false, "Movement of the points from frame to frame");
}

std::string drift_table(const LandmarksOverTime& over_time) {
    if (over_time.drift.empty()) return {};
    std::vector<HtmlRow> rows;
    for (const LandmarkDrift& group : over_time.drift) {
        rows.push_back(
            {{(group.and_more ? "≥ " : "") + std::to_string(group.followed), std::to_string(group.followed)},
             {grouped(group.faces)},
             time_cell(number_of_key(group.numbers, "mean")),
             time_cell(number_of_key(group.numbers, "median"))});
    }
    return table({{"Frames since the last detection"}, {"Faces"}, {"Mean NME"}, {"Median NME"}}, rows, false,
                 "Errors by the frames since the last detection");
}

std::string category_table(const LandmarksOverTime& over_time) {
    if (over_time.categories.empty()) return {};
    std::vector<HtmlRow> rows;
    for (const LandmarkCategory& category : over_time.categories) {
        HtmlRow row{{escape_html(category.name)},
                    {grouped(category.videos)},
                    {grouped(category.faces)},
                    {grouped(category.missed)}};
        for (const Number& number : category.numbers) row.push_back(time_cell(number));
        rows.push_back(std::move(row));
    }
    return table({{"Category", false},
                  {"Videos"},
                  {"Faces"},
                  {"Missed"},
                  {"Mean NME"},
                  {"Median NME"},
                  {"AUC@0.08"},
                  {"Failures > 0.08"}},
                 rows, false, "Errors of each category of videos");
}

std::string landmark_video_table(const LandmarksOverTime& over_time) {
    std::vector<HtmlRow> rows;
    for (const LandmarkVideo& video : over_time.videos) {
        rows.push_back({{breakable(video.name), video.name},
                        {escape_html(video.category)},
                        {grouped(video.faces), std::to_string(video.faces)},
                        {grouped(video.missed), std::to_string(video.missed)},
                        value_cell(video.mean),
                        {percent(video.failure_rate), shortest_number(video.failure_rate)},
                        value_cell(video.jitter)});
    }
    return table({{"Video", false},
                  {"Category", false},
                  {"Faces"},
                  {"Missed"},
                  {"Mean NME"},
                  {"Failures > 0.08"},
                  {"Mean jitter"}},
                 rows, true, "Errors of each video");
}

}  // namespace

std::string landmark_time_section(const LandmarkPage& page) {
    if (!page.evaluations[0].over_time) return {};
    const LandmarksOverTime& first = *page.evaluations[0].over_time;
    std::string html = plot_legend(page.names) + charts(page.plots.over_time) + motion_table(page);
    for (std::size_t i = 0; i < page.evaluations.size(); ++i) {
        const LandmarksOverTime& over_time = *page.evaluations[i].over_time;
        const std::string own =
            drift_table(over_time) + category_table(over_time) + landmark_video_table(over_time);
        html += page.evaluations.size() == 1 ? own : folded(page.names[i], own, i == 0);
    }
    if (!first.units.empty()) {
        html += "<p class=\"note below\">Small numbers are 95\u00A0% intervals, by a bootstrap over " +
                escape_html(first.units) + ".</p>\n";
    }
    return html;
}

std::string landmark_time_markdown(const LandmarkPage& page) {
    if (!page.evaluations[0].over_time) return {};
    std::string text;
    const auto add = [&](const std::string& title, Numbers LandmarksOverTime::*member) {
        std::vector<const Numbers*> lists;
        for (const LandmarkEvaluation& e : page.evaluations) lists.push_back(&((*e.over_time).*member));
        MarkdownRows rows = markdown_heading("Number", page.names);
        add_numbers(rows, lists, time_decimals);
        text += "\n## " + title + "\n\n" + markdown_table(rows);
    };
    add("Jitter: movement of the points against the true ones", &LandmarksOverTime::jitter);
    add("Movement of the true points", &LandmarksOverTime::true_motion);
    for (std::size_t i = 0; i < page.evaluations.size(); ++i) {
        const LandmarksOverTime& over_time = *page.evaluations[i].over_time;
        if (over_time.drift.empty()) continue;
        MarkdownRows rows{{"Frames since the last detection", "Faces", "Mean NME"}};
        for (const LandmarkDrift& group : over_time.drift) {
            rows.push_back({(group.and_more ? "≥ " : "") + std::to_string(group.followed),
                            grouped(group.faces),
                            number_with_interval(number_of_key(group.numbers, "mean"), time_decimals)});
        }
        text += "\n## Drift" +
                (page.evaluations.size() == 1 ? std::string() : " of " + escape_markdown(page.names[i])) +
                "\n\n" + markdown_table(rows);
    }
    return text;
}

}  // namespace fovea::report
