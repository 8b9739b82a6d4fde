#include <algorithm>
#include <set>
#include <system_error>

#include "lib/json/json.hpp"
#include "lib/json/json_text.hpp"
#include "lib/report/html/format.hpp"
#include "lib/report/page/page_parts.hpp"
#include "lib/report/page/report_section.hpp"
#include "lib/report/page/skipped.hpp"

namespace fovea::report {
namespace {

using Sections = std::vector<std::unique_ptr<ReportSection>>;

// "Face detection and landmarks".
std::string subject_of(const Sections& sections) {
    std::string text = "Face ";
    for (const auto& section : sections) {
        text += (section == sections.front() ? "" : " and ") + section->subject();
    }
    return text;
}

std::string capitalised(std::string text) {
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
    return text;
}

// How many results were evaluated: detections and landmarks of one name are one.
std::size_t number_of_results(const Sections& sections) {
    std::set<std::string> names;
    for (const auto& section : sections) names.insert(section->names().begin(), section->names().end());
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
                 const Sections& sections, StagedFiles& files) {
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
    for (const auto& section : sections) section->add_numbers(json, files);
    if (!context.skipped.empty()) {
        json["skipped"] = Json::array();
        for (const SkippedGroup& group : grouped_by_detector(context.skipped, number_of_results(sections))) {
            Json entry{{"image", group.image}, {"reason", group.reason}};
            if (!group.detectors.empty()) entry[sections.front()->competitors()] = group.detectors;
            json["skipped"].push_back(std::move(entry));
        }
    }
    if (!context.configuration.empty()) json["configuration"] = context.configuration;
    if (!context.manifest.empty()) json["manifest"] = manifest_summary(context);
    return json;
}

std::string markdown_of(const std::string& title, const Sections& sections) {
    if (sections.size() == 1) {
        MarkdownPage page = sections[0]->markdown();
        page.title = title;
        return markdown_page(page);
    }
    std::vector<MarkdownPage> parts;
    for (const auto& section : sections) {
        parts.push_back(section->markdown());
        parts.back().title = capitalised(section->subject());
    }
    return markdown_page(title, parts);
}

// The sections one after the other; what stands out of all of them is above the first.
Document document_of(const std::string& title, const Dataset& dataset, const ReportContext& context,
                     const Sections& sections) {
    const bool single = sections.size() == 1;
    Document document;
    document.title = title;
    std::vector<SectionPage> pages;
    std::vector<std::string> subjects;
    std::string files;
    for (const auto& section : sections) {
        SectionPage page = section->page();
        const std::string heading = capitalised(section->subject());
        document.lead += (pages.empty() ? "" : "</p>\n<p class=\"lead\">") + page.lead;
        document.protocol += (pages.empty() ? "" : " ") + (single ? "" : heading + ": ") + page.protocol;
        document.headline += (single ? "" : "<h2>" + heading + "</h2>\n") + page.headline;
        for (const DocumentPart& part : page.parts) {
            document.parts.push_back(single ? part
                                            : DocumentPart{section->subject() + "-" + part.id,
                                                           heading + ": " + part.title, part.html});
        }
        document.style += page.style;
        files += ", " + page.files;
        subjects.push_back(section->subject());
        pages.push_back(std::move(page));
    }
    document.parts.push_back({"skipped", "Images without a result",
                              context.skipped.empty()
                                  ? pages[0].without_result
                                  : skipped_table(context.skipped, number_of_results(sections))});
    document.parts.push_back({"background", "Definitions, configuration, origin",
                              background_html(dataset, context, subjects, pages)});
    document.related = context.related;
    document.footer =
        "The numbers and intervals of this page are also in report.json, report.md and CSV files" + files +
        ", and the plots as SVG and PDF beside it.";
    return document;
}

}  // namespace

std::filesystem::path write_sections(const std::filesystem::path& folder, const Dataset& dataset,
                                     const ReportContext& context, const Sections& sections) {
    make_output_folder(folder, "report");
    const std::string title =
        context.title.empty() ? default_title(subject_of(sections), dataset.name) : context.title;
    StagedFiles files(folder);
    const Json json = report_json(title, dataset, context, sections, files);
    files.add("report.json", indented_text(json) + "\n");
    const std::filesystem::path page = folder / "report.html";
    try {
        for (const auto& section : sections) section->add_plots(files);
        files.add("report.md", markdown_of(title, sections));
        files.add(page.filename().string(), document_page(document_of(title, dataset, context, sections)));
    } catch (...) {
        // The numbers stay usable, but not beside the page of another evaluation.
        std::error_code ignored;
        if (!std::filesystem::exists(page, ignored)) files.publish_report("report");
        throw;
    }
    files.publish_report("report");
    return page;
}

}  // namespace fovea::report
