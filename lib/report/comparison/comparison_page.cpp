#include <algorithm>

#include <spdlog/fmt/fmt.h>

#include "lib/core/text.hpp"
#include "lib/report/comparison/comparison_report.hpp"
#include "lib/report/html/format.hpp"
#include "lib/report/html/html.hpp"
#include "lib/report/page/document.hpp"
#include "lib/report/page/markdown.hpp"
#include "lib/report/page/page_parts.hpp"

namespace fovea::report {
namespace {

constexpr const char* style = R"css(
.gallery.pairs { grid-template-columns: repeat(auto-fill, minmax(min(100%, 340px), 1fr)); }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 4px; }
.side { display: block; font-size: 12px; color: var(--soft); margin-bottom: 2px; }
)css";

constexpr std::size_t max_listed_images = 50;

/// The subjects compared, and the change of the first headline number.
std::string lead(const Comparison& comparison) {
    std::string text = strong(comparison.names[1]) + " was compared with " + strong(comparison.names[0]);
    if (comparison.detections) {
        const DetectionEvaluation& first = comparison.detections->evaluations[0];
        text += " on " + escape_html(number_of(first.images, "annotated image")) + " with " +
                escape_html(number_of(first.faces, "face"));
    }
    if (!comparison.dataset.empty()) text += " of <code>" + breakable(comparison.dataset) + "</code>";
    text += ". ";
    // Every row of the table with a difference is counted, so that readers can check the sums.
    int better = 0;
    int worse = 0;
    int open = 0;
    int without_interval = 0;
    for (const ComparedNumber& number : comparison.numbers) {
        if (!number.worse_by()) continue;
        int& count = !number.ci95             ? without_interval
                     : !number.significant()  ? open
                     : *number.worse_by() < 0 ? better
                                              : worse;
        ++count;
    }
    if (better + worse + open > 0) {
        text += escape_html(fmt::format(
            "B is better in {1} and worse in {2} of {0} in the table; in {3} the "
            "95 % interval of the difference holds 0{4}.",
            number_of(better + worse + open + without_interval, "number"), better, worse, open,
            without_interval == 0 ? "" : fmt::format("; {} without an interval", without_interval)));
    }
    return text;
}

std::string numbers_table(const Comparison& comparison) {
    const std::vector<std::vector<std::string>> texts = comparison_rows(comparison, true);
    std::vector<HtmlColumn> columns{{"Number", false},
                                    {comparison.names[0]},
                                    {comparison.names[1]},
                                    {"B − A"},
                                    {"95 % interval"},
                                    {"p", true, "Two-sided"},
                                    {"Cohen's h", true, "Effect size of rates"}};
    std::vector<HtmlRow> rows;
    for (std::size_t i = 1; i < texts.size(); ++i) {
        HtmlRow row;
        for (const std::string& text : texts[i]) row.push_back({escape_html(text)});
        for (const ComparedNumber& number : comparison.numbers) {
            if (number.name != texts[i][0] || !number.worse_by() || !number.significant()) continue;
            row[*number.worse_by() < 0 ? 2 : 1].best = true;
        }
        rows.push_back(std::move(row));
    }
    return "<div class=\"comparison\">" + table(columns, rows, false, "Numbers of A and B") +
           "</div>\n<p class=\"note below\">Differences of rates are in percentage points. The better side "
           "stands out "
           "where the interval of the difference leaves out 0. " +
           escape_html(comparison.method) + "</p>\n";
}

std::string faces_section(const ComparedDetections& detections) {
    const McNemar& faces = detections.changes.faces;
    const std::vector<HtmlColumn> columns{{"Faces", false}, {"found by B"}, {"missed by B"}};
    const std::vector<HtmlRow> rows{
        {{"found by A"}, {grouped(faces.both)}, {grouped(faces.only_first)}},
        {{"missed by A"}, {grouped(faces.only_second)}, {grouped(faces.neither)}}};
    const std::vector<HtmlColumn> alarm_columns{{"False alarms", false}, {"number"}};
    const std::vector<HtmlRow> alarms{{{"raised by both"}, {grouped(detections.changes.alarms_common)}},
                                      {{"by A alone"}, {grouped(detections.changes.alarms_lost)}},
                                      {{"by B alone"}, {grouped(detections.changes.alarms_gained)}}};
    std::string thresholds;
    for (std::size_t i = 0; i < 2; ++i) {
        if (!detections.thresholds[i]) continue;
        thresholds +=
            std::string(i == 0 ? " A: score ≥ " : " B: score ≥ ") + compact(*detections.thresholds[i]) + ".";
    }
    return "<p>" + escape_html(faces_sentence(detections) + thresholds) +
           "</p>\n<div class=\"columns\"><div>" + table(columns, rows, false, "Faces found by A and by B") +
           "</div><div>" + table(alarm_columns, alarms, false, "False alarms of A and of B") +
           "</div></div>\n<p class=\"note below\">McNemar's test asks whether faces found by one detector "
           "alone are "
           "found by either equally often; it takes faces to be independent. False alarms are the same if "
           "their IoU "
           "is at least 0.5.</p>\n";
}

std::string images_table(const ComparedDetections& detections) {
    const std::vector<HtmlColumn> columns{
        {"Image", false}, {"Faces gained"}, {"Faces lost"}, {"False alarms gained"}, {"False alarms lost"}};
    std::vector<HtmlRow> rows;
    const auto count = [](const std::vector<std::size_t>& list) {
        return HtmlCell{list.empty() ? "" : std::to_string(list.size()), std::to_string(list.size())};
    };
    for (const ImageChange& change : detections.changes.images) {
        if (rows.size() == max_listed_images) break;
        const std::size_t sample = detections.kept[0].image_outcomes[change.image].sample;
        rows.push_back({{element("span", "path", breakable(detections.dataset.samples[sample].image))},
                        count(change.faces_gained),
                        count(change.faces_lost),
                        count(change.alarms_gained),
                        count(change.alarms_lost)});
    }
    std::string html = table(columns, rows, true, "Images that changed");
    if (detections.changes.images.size() > rows.size()) {
        html += "<p class=\"note below\">" +
                escape_html(number_of(static_cast<long long>(detections.changes.images.size() - rows.size()),
                                      "more image")) +
                " in compare.json.</p>\n";
    }
    return folded("All images that changed, largest change first", html);
}

std::string warnings_list(const Comparison& comparison) {
    if (comparison.warnings.empty()) return {};
    std::string list;
    for (const std::string& warning : comparison.warnings)
        list += element("li", "", breakable(warning)) + "\n";
    return "<ul>\n" + list + "</ul>\n";
}

// Empty if both were made alike, or the reports do not tell.
std::string settings_table(const Comparison& comparison) {
    if (comparison.settings.empty()) return {};
    std::vector<HtmlRow> rows;
    for (const SettingDifference& setting : comparison.settings) {
        rows.push_back({{breakable(setting.name)}, {breakable(setting.a)}, {breakable(setting.b)}});
    }
    return table({{"Setting", false}, {"A", false}, {"B", false}}, rows);
}

std::string definitions(const Comparison& comparison) {
    std::string html = "<dl>";
    for (const ComparedNumber& number : comparison.numbers) {
        if (number.definition.empty()) continue;
        html += "<dt>" + escape_html(number.name) + "</dt><dd>" + escape_html(number.definition) + "</dd>\n";
    }
    html +=
        "<dt>Cohen's h</dt><dd>2 asin √B − 2 asin √A of two rates; 0.2 is called small, 0.5 medium, 0.8 "
        "large</dd>\n";
    for (std::size_t i = 0; i < 2; ++i) {
        html += "<dt>" + std::string(i == 0 ? "A" : "B") + "</dt><dd>" + breakable(comparison.sources[i]) +
                "</dd>\n";
    }
    return html + "</dl>\n";
}

}  // namespace

std::string comparison_page(const Comparison& comparison, const ComparisonReportOptions& options,
                            const std::vector<DrawnPlot>& plots) {
    Document document;
    document.title = comparison_title(comparison, options);
    document.lead = lead(comparison);
    document.protocol = comparison.protocol;
    document.headline = numbers_table(comparison);
    document.style = style;
    if (const std::string settings = settings_table(comparison); !settings.empty()) {
        document.parts.push_back({"settings", "Settings that differ", settings});
    }
    if (comparison.detections) {
        const ComparedDetections& detections = *comparison.detections;
        const std::vector<std::string> names{comparison.names[0], comparison.names[1]};
        document.parts.push_back({"curves", "Curves", plot_legend(names) + charts(plots)});
        document.parts.push_back({"faces", "Face by face", faces_section(detections)});
        if (!detections.changes.images.empty()) {
            document.parts.push_back(
                {"images", "Images that changed",
                 changed_images(detections, options.thumbnails, options.decode) + images_table(detections)});
        }
    }
    document.parts.push_back({"warnings", "Warnings", warnings_list(comparison)});
    document.parts.push_back({"background", "Definitions and origin", definitions(comparison)});
    document.footer = "Every number of this page is in compare.json, the table in compare.md.";
    return document_page(document);
}

std::string comparison_markdown(const Comparison& comparison, const std::string& title) {
    std::string text = "# " + escape_markdown(title) + "\n\n";
    if (!comparison.dataset.empty()) text += "Dataset: " + escape_markdown(comparison.dataset) + "\n\n";
    const auto rows = comparison_rows(comparison, true);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (const std::string& cell : rows[i]) text += "| " + escape_markdown(cell) + " ";
        text += "|\n";
        if (i > 0) continue;
        for (std::size_t k = 0; k < rows[0].size(); ++k) text += k == 0 ? "|---" : "|---:";
        text += "|\n";
    }
    for (std::size_t i = 0; i < 2; ++i) {
        text += "\n" + escape_markdown(comparison.names[i] + " (" + comparison.sources[i] + ")") + "\n";
    }
    if (!comparison.settings.empty()) text += "\n| setting that differs | A | B |\n|---|---|---|\n";
    for (const SettingDifference& setting : comparison.settings) {
        text += "| " + escape_markdown(setting.name) + " | " + escape_markdown(setting.a) + " | " +
                escape_markdown(setting.b) + " |\n";
    }
    text += "\n" + escape_markdown(comparison.method) + "\n";
    if (comparison.detections) {
        text += "\n" + faces_sentence(*comparison.detections) + "\n";
        if (!comparison.detections->changes.images.empty()) text += "\n| image | change |\n|---|---|\n";
        std::size_t listed = 0;
        for (const ImageChange& change : comparison.detections->changes.images) {
            if (listed++ == max_listed_images) break;
            const std::size_t sample = comparison.detections->kept[0].image_outcomes[change.image].sample;
            text += "| " + escape_markdown(comparison.detections->dataset.samples[sample].image) + " | " +
                    change_summary(change) + " |\n";
        }
    }
    for (const std::string& warning : comparison.warnings) text += "\n" + escape_markdown(warning) + "\n";
    return text;
}

}  // namespace fovea::report
