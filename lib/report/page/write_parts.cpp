#include <algorithm>
#include <set>
#include <system_error>

#include "lib/core/text.hpp"
#include "lib/core/version.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_text.hpp"
#include "lib/report/model/names.hpp"
#include "lib/report/page/report_part.hpp"
#include "lib/report/page/skipped.hpp"
#include "lib/report/page/verdicts.hpp"
#include "lib/report/write/figure_files.hpp"
#include "lib/report/write/markdown.hpp"
#include "lib/report/write/page.hpp"

namespace fovea::report {
namespace {

using Parts = std::vector<std::unique_ptr<ReportPart>>;

constexpr std::size_t max_open_warnings = 10;

// "Face detection and landmarks".
std::string subject_of(const Parts& parts) {
    std::string text = "Face ";
    for (const auto& part : parts) text += (part == parts.front() ? "" : " and ") + part->subject();
    return text;
}

std::string capitalised(std::string text) {
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
    return text;
}

// How many results were evaluated: detections and landmarks of one name are one.
std::size_t number_of_results(const Parts& parts) {
    std::set<std::string> names;
    for (const auto& part : parts) names.insert(part->names().begin(), part->names().end());
    return names.size();
}

/// The numbers of evaluation are equal bytes for equal work; what took how long is not part of the report. A
/// run's configuration is the report's own; detections that are evaluated later bring theirs.
Json manifest_summary(const ReportContext& context) {
    if (!context.manifest.is_object()) return context.manifest;
    Json summary = context.manifest;
    for (const char* key : {"timings", "energy"}) summary.erase(key);
    const auto own = summary.find("configuration");
    if (own != summary.end() && *own == context.configuration) summary.erase(own);
    return summary;
}

Json report_json(const std::string& title, const Dataset& dataset, const ReportContext& context,
                 const Parts& parts, StagedFiles& files) {
    const auto annotated = std::count_if(dataset.samples.begin(), dataset.samples.end(),
                                         [](const Sample& sample) { return sample.annotated; });
    Json json;
    json["format"] = "fovea-report";
    json["version"] = 1;
    json["title"] = title;
    json["dataset"] = {{"name", dataset.name},
                       {"format", dataset.format},
                       {"images", dataset.samples.size()},
                       {"images_annotated", annotated}};
    for (const auto& part : parts) part->add_numbers(json, files);
    if (!context.skipped.empty()) {
        json["skipped"] = Json::array();
        for (const SkippedGroup& group : grouped_by_detector(context.skipped, number_of_results(parts))) {
            Json entry{{"image", group.image}, {"reason", group.reason}};
            if (!group.detectors.empty()) entry[parts.front()->competitors()] = group.detectors;
            json["skipped"].push_back(std::move(entry));
        }
    }
    if (!context.configuration.empty()) json["configuration"] = context.configuration;
    if (!context.manifest.empty()) json["manifest"] = manifest_summary(context);
    return json;
}

// Images without a result and why.
Section skipped_section(const std::vector<SkippedImage>& skipped, std::size_t detectors) {
    const std::vector<SkippedGroup> groups = grouped_by_detector(skipped, detectors);
    const bool differ =
        std::any_of(groups.begin(), groups.end(), [](const SkippedGroup& g) { return !g.detectors.empty(); });
    Table table{.title = "Images without a result", .columns = {words("Image"), words("Reason")}};
    if (differ) table.columns.push_back(words("Detectors"));
    for (const SkippedGroup& group : groups) {
        std::vector<Cell> row{group.image, group.reason};
        std::string affected;
        for (const std::string& name : group.detectors) affected += (affected.empty() ? "" : ", ") + name;
        if (differ) row.push_back(affected.empty() ? "all" : affected);
        table.rows.push_back(std::move(row));
    }
    Section section{"skipped", "Images without a result"};
    section.add(Paragraph{"Faces in these images count as missed.", true});
    section.add(std::move(table));
    return section;
}

/// Text as it is, anything else as JSON; bytes that are not UTF-8 are replaced.
std::string text_or_json(const Json& value) {
    if (value.is_string()) return value.get<std::string>();
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// "name alt2, model alt2.xml": the scalars of an object.
std::string scalars(const Json& object) {
    std::string text;
    for (const auto& [name, part] : object.items()) {
        if (part.is_primitive()) text += (text.empty() ? "" : ", ") + name + " " + text_or_json(part);
    }
    return text;
}

/// The scalars of the manifest's first two levels: versions, device, detectors. The rest is in the full text.
void add_manifest(Definitions& origin, const Json& manifest) {
    if (!manifest.is_object()) return;
    for (const auto& [key, value] : manifest.items()) {
        if (key == "configuration" || key == "timings" || key == "energy") continue;
        if (value.is_primitive()) {
            origin.items.push_back({key, text_or_json(value)});
        } else if (value.is_object()) {
            if (const std::string text = scalars(value); !text.empty()) origin.items.push_back({key, text});
        } else {
            for (const Json& entry : value) {
                if (entry.is_object()) origin.items.push_back({key, scalars(entry)});
            }
        }
    }
}

/// Warnings of the dataset's reader and of the evaluations, each sentence once.
std::vector<std::string> warnings_of(const Dataset& dataset, const std::vector<PartContent>& contents) {
    std::vector<std::string> sentences = dataset.warnings;
    for (const PartContent& content : contents) {
        for (const std::string& warning : content.warnings) {
            if (std::find(sentences.begin(), sentences.end(), warning) == sentences.end())
                sentences.push_back(warning);
        }
    }
    return sentences;
}

Section background_section(const ReportContext& context, const Parts& parts,
                           const std::vector<PartContent>& contents) {
    Section section{"background", "Definitions, configuration, origin"};
    section.is_of_page = true;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        Section definitions{"definitions-" + parts[i]->subject(),
                            parts.size() == 1 ? "Definitions of the numbers"
                                              : "Definitions of the numbers of " + parts[i]->subject()};
        definitions.fold = Fold::closed;
        definitions.add(contents[i].definitions);
        section.sections.push_back(std::move(definitions));
    }
    section.sections.push_back(origin_section(context.origin, context.manifest));
    if (!context.configuration.empty()) {
        section.sections.push_back(
            listing_section("configuration", "Effective configuration", context.configuration));
    }
    if (!context.manifest.empty())
        section.sections.push_back(listing_section("manifest", "Manifest (run.json)", context.manifest));
    return section;
}

// The parts one after the other; what stands out of all of them is above the first.
Report report_of(const std::string& title, const Dataset& dataset, const ReportContext& context,
                 const Parts& parts, StagedFiles& files_beside) {
    const bool is_single = parts.size() == 1;
    Report report;
    report.title = title;
    report.related = context.related;
    std::vector<PartContent> contents;
    std::string files;
    for (const auto& part : parts) {
        PartContent content = part->content(files_beside);
        const std::string heading = capitalised(part->subject());
        report.lead.insert(report.lead.end(), content.lead.begin(), content.lead.end());
        report.protocol +=
            (contents.empty() ? "" : " ") + (is_single ? "" : heading + ": ") + content.protocol;
        Section headline{part->subject() + "-headline", is_single ? "" : heading};
        headline.blocks = std::move(content.headline);
        report.headline.push_back(std::move(headline));
        for (Section& section : content.sections) {
            if (!is_single) {
                section.id = part->subject() + "-" + section.id;
                section.title = heading + ": " + section.title;
            }
            report.sections.push_back(std::move(section));
        }
        for (OperatingCurve& curve : content.operating) report.operating.push_back(std::move(curve));
        if (!content.samples.empty()) report.samples = content.samples;
        files += ", " + content.files;
        contents.push_back(std::move(content));
    }
    if (context.skipped.empty()) {
        Section section{"skipped", "Images without a result"};
        section.blocks = contents[0].without_result;
        report.sections.push_back(std::move(section));
    } else {
        report.sections.push_back(skipped_section(context.skipped, number_of_results(parts)));
    }
    report.sections.push_back(warning_section(warnings_of(dataset, contents)));
    report.sections.push_back(background_section(context, parts, contents));
    report.footer =
        "The numbers and intervals of this page are also in report.json, report.md and CSV files" + files +
        ", and the plots as SVG and PDF beside it.";
    return report;
}

}  // namespace

Section origin_section(const ReportOrigin& origin, const Json& manifest) {
    Definitions made{{{"report made by", fovea_version_line()}}};
    if (!origin.time.empty()) made.items.push_back({"made at", origin.time});
    if (!origin.host.empty()) made.items.push_back({"made on", origin.host});
    if (!origin.command.empty()) made.items.push_back({"made with", origin.command});
    add_manifest(made, manifest);
    Section section{"origin", "Origin of this report"};
    section.is_of_page = true;
    section.fold = Fold::open;
    section.add(std::move(made));
    return section;
}

Section listing_section(const std::string& id, const std::string& title, const Json& json) {
    Section section{id, title};
    section.fold = Fold::screen;
    section.is_of_page = true;
    section.add(Listing{indented_text(json)});
    return section;
}

Section warning_section(const std::vector<std::string>& sentences) {
    Section section{"warnings", "Warnings (" + grouped(static_cast<long long>(sentences.size())) + ")"};
    section.fold = sentences.size() <= max_open_warnings ? Fold::open : Fold::closed;
    if (!sentences.empty()) section.add(List{sentences});
    return section;
}

void add_report_files(StagedFiles& files, const Report& report, const std::string& stem) {
    add_figures(files, plots_of(report));
    files.add(stem + ".md", markdown_report(report));
    files.add(stem + ".html", page_of(report));
}

std::filesystem::path publish_report(StagedFiles& files, const std::function<Report()>& make,
                                     const std::string& stem, std::optional<LatexIntervals> latex) {
    const std::filesystem::path page = files.folder() / (stem + ".html");
    try {
        const Report report = make();
        add_report_files(files, report, stem);
        if (latex) files.add(stem + ".tex", latex_report(report, *latex));
    } catch (...) {
        // The numbers stay usable, but not beside the page of another evaluation.
        std::error_code ignored;
        if (!std::filesystem::exists(page, ignored)) files.publish_report(stem);
        throw;
    }
    files.publish_report(stem);
    return page;
}

std::filesystem::path publish_report(StagedFiles& files, const Report& report, const std::string& stem) {
    return publish_report(files, std::function([&] { return report; }), stem);
}

std::filesystem::path write_parts(const OutputFolder& folder, const Dataset& dataset,
                                  const ReportContext& context, const Parts& parts) {
    const std::string title =
        context.title.empty() ? default_title(subject_of(parts), dataset.name) : context.title;
    StagedFiles files(folder, "report");
    Json json = report_json(title, dataset, context, parts, files);
    const std::vector<Verdict> verdicts = judge_report(context.judge, json);
    files.add("report.json", indented_text(json) + "\n");
    const std::function make = [&] {
        Report report = report_of(title, dataset, context, parts, files);
        report.headline.insert(report.headline.begin(), verdict_section(verdicts));
        return report;
    };
    return publish_report(files, make, "report", context.latex);
}

}  // namespace fovea::report
