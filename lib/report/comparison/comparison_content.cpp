#include "lib/report/comparison/comparison_content.hpp"

#include <algorithm>

#include <spdlog/fmt/fmt.h>

#include "lib/core/text.hpp"
#include "lib/report/detection/detection_plots.hpp"
#include "lib/report/page/gallery.hpp"
#include "lib/report/page/report_part.hpp"

namespace fovea::report {
namespace {

/// Further images are in compare.json.
constexpr std::size_t max_listed_images = 50;

/// Who was compared with whom, and how many numbers differ.
Text lead_of(const Comparison& comparison) {
    Text text{Run::strong(comparison.names[1]), Run::plain(" was compared with "),
              Run::strong(comparison.names[0])};
    if (comparison.detections) {
        const DetectionEvaluation& first = comparison.detections->evaluations[0];
        text.push_back(Run::plain(" on " + number_of(first.images, "annotated image") + " with " +
                                  number_of(first.faces, "face")));
    }
    if (!comparison.dataset.empty()) {
        text.push_back(Run::plain(" of "));
        text.push_back(Run::code(comparison.dataset));
    }
    text.push_back(Run::plain(". "));
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
        text.push_back(Run::plain(fmt::format(
            "B is better in {1} and worse in {2} of {0} in the table; in {3} the 95 % interval of the "
            "difference holds 0{4}.",
            number_of(better + worse + open + without_interval, "number"), better, worse, open,
            without_interval == 0 ? "" : fmt::format("; {} without an interval", without_interval))));
    }
    return text;
}

// Empty if both were made alike, or the reports do not tell.
Section settings_section(const Comparison& comparison) {
    Section section{"settings", "Settings that differ"};
    Table table{.columns = {words("Setting"), words("A"), words("B")}};
    for (const SettingDifference& setting : comparison.settings)
        table.rows.push_back({setting.name, setting.a, setting.b});
    section.add(std::move(table));
    return section;
}

Section beside(const std::string& id, Table table) {
    Section section{id, ""};
    section.is_beside = true;
    section.add(std::move(table));
    return section;
}

Section faces_section(const ComparedDetections& detections) {
    const McNemar& faces = detections.changes.faces;
    Section section{"faces", "Face by face"};
    std::string sentence = faces_sentence(detections);
    for (std::size_t i = 0; i < 2; ++i) {
        if (detections.thresholds[i])
            sentence +=
                std::string(i == 0 ? " A" : " B") + ": score ≥ " + compact(*detections.thresholds[i]) + ".";
    }
    section.add(Paragraph{sentence});
    section.add(
        Paragraph{"McNemar's test asks whether faces found by one detector alone are found by either "
                  "equally often; it takes faces to be independent. False positives are the same if their "
                  "IoU is at least 0.5.",
                  true});
    section.sections = {
        beside("faces-found",
               {.title = "Faces found by A and by B",
                .columns = {words("Faces"), {"found by B"}, {"missed by B"}},
                .rows = {{"found by A", count_cell(faces.both), count_cell(faces.only_first)},
                         {"missed by A", count_cell(faces.only_second), count_cell(faces.neither)}}}),
        beside("alarms", {.title = "False positives of A and of B",
                          .columns = {words("False positives"), {"number"}},
                          .rows = {{"raised by both", count_cell(detections.changes.alarms_common)},
                                   {"by A alone", count_cell(detections.changes.alarms_lost)},
                                   {"by B alone", count_cell(detections.changes.alarms_gained)}}})};
    return section;
}

Section images_section(const ComparedDetections& detections, const ComparisonReportOptions& options) {
    const std::vector<ImageChange>& changes = detections.changes.images;
    Section section{"images", "Images that changed"};
    if (changes.empty()) return section;
    section.add(picture_legend());
    section.add(changed_images(detections, options.thumbnails, options.decode));
    Table table{.title = "Images that changed",
                .columns = {words("Image"),
                            {"Faces gained"},
                            {"Faces lost"},
                            {"False positives gained"},
                            {"False positives lost"}},
                .is_sortable = true};
    for (std::size_t i = 0; i < std::min(changes.size(), max_listed_images); ++i) {
        const std::size_t sample = detections.kept[0].image_outcomes[changes[i].image].sample;
        std::vector<Cell> row{detections.dataset.samples[sample].image};
        for (const auto* list : {&changes[i].faces_gained, &changes[i].faces_lost, &changes[i].alarms_gained,
                                 &changes[i].alarms_lost}) {
            row.push_back(count_cell(static_cast<double>(list->size())));
            if (list->empty()) row.back().text.clear();
        }
        table.rows.push_back(std::move(row));
    }
    if (changes.size() > max_listed_images) {
        table.note = number_of(static_cast<long long>(changes.size() - max_listed_images), "more image") +
                     " in compare.json.";
    }
    Section all{"images-all", "All images that changed, largest change first"};
    all.fold = Fold::open;
    all.add(std::move(table));
    section.sections = {std::move(all)};
    return section;
}

Section background_section(const Comparison& comparison) {
    Definitions definitions;
    for (const ComparedNumber& number : comparison.numbers) {
        if (!number.definition.empty()) definitions.items.push_back({number.name, number.definition});
    }
    definitions.items.push_back(
        {"Cohen's h", "2 asin √B − 2 asin √A of two rates; 0.2 is called small, 0.5 medium, 0.8 large"});
    definitions.items.push_back({"A", comparison.sources[0]});
    definitions.items.push_back({"B", comparison.sources[1]});
    Section section{"background", "Definitions and origin"};
    section.add(std::move(definitions));
    return section;
}

}  // namespace

Report comparison_content(const Comparison& comparison, const ComparisonReportOptions& options) {
    Report report;
    report.title =
        options.title.empty() ? comparison.names[0] + " and " + comparison.names[1] : options.title;
    report.lead = {lead_of(comparison)};
    report.protocol = comparison.protocol;
    Section numbers{"numbers", ""};
    numbers.add(comparison_table(comparison));
    report.headline = {verdict_section(options.verdicts), std::move(numbers)};
    report.sections.push_back(settings_section(comparison));
    if (comparison.detections) {
        Section curves{"curves", "Curves"};
        curves.add(
            detection_plots(comparison.detections->evaluations, {comparison.names[0], comparison.names[1]}));
        // Another report may lie in the same folder.
        for (Block& block : curves.blocks) {
            Plot& plot = std::get<Plot>(block);
            plot.stem = "compare_" + plot.stem;
        }
        report.sections.push_back(std::move(curves));
        report.sections.push_back(faces_section(*comparison.detections));
        report.sections.push_back(images_section(*comparison.detections, options));
    }
    report.sections.push_back(warning_section(comparison.warnings));
    report.sections.push_back(background_section(comparison));
    report.footer = "Every number of this page is in compare.json, the table in compare.md.";
    return report;
}

}  // namespace fovea::report
