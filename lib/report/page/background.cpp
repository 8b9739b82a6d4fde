#include <algorithm>

#include "lib/json/json.hpp"
#include "lib/json/json_text.hpp"
#include "lib/report/html/html.hpp"
#include "lib/report/page/page_parts.hpp"
#include "lib/report/page/report_section.hpp"

namespace fovea::report {
namespace {

/// Text as it is, anything else as JSON; bytes that are not UTF-8 are replaced.
std::string text_or_json(const Json& value) {
    if (value.is_string()) return value.get<std::string>();
    // HTML shows characters that act in its own way.
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
std::string origin(const Json& manifest) {
    std::string html = "<dl>";
    if (manifest.is_object()) {
        for (const auto& [key, value] : manifest.items()) {
            if (key == "configuration" || key == "timings" || key == "energy") continue;
            if (value.is_primitive()) {
                html += definition(key, text_or_json(value));
            } else if (value.is_object()) {
                if (const std::string text = scalars(value); !text.empty()) html += definition(key, text);
            } else {
                for (const Json& entry : value) {
                    if (entry.is_object()) html += definition(key, scalars(entry));
                }
            }
        }
    }
    return html == "<dl>" ? "" : html + "</dl>\n";
}

/// Warnings of the dataset's reader and of the evaluations, each sentence once.
std::string warnings(const Dataset& dataset, const std::vector<SectionPage>& pages) {
    std::vector<std::string> sentences = dataset.warnings;
    for (const SectionPage& page : pages) {
        for (const std::string& warning : page.warnings) {
            if (std::find(sentences.begin(), sentences.end(), warning) == sentences.end()) {
                sentences.push_back(warning);
            }
        }
    }
    return warning_list(sentences);
}

}  // namespace

std::string background_html(const Dataset& dataset, const ReportContext& context,
                            const std::vector<std::string>& subjects, const std::vector<SectionPage>& pages) {
    std::string html = warnings(dataset, pages);
    for (std::size_t i = 0; i < pages.size(); ++i) {
        html += folded(
            pages.size() == 1 ? "Definitions of the numbers" : "Definitions of the numbers of " + subjects[i],
            pages[i].definitions);
    }
    html += folded("Origin of this report", origin_list(context.origin) + origin(context.manifest), true);
    if (!context.configuration.empty()) {
        html += folded_on_screen("Effective configuration",
                                 "<pre>" + escape_html(indented_text(context.configuration)) + "</pre>\n");
    }
    if (!context.manifest.empty()) {
        html += folded_on_screen("Manifest (run.json)",
                                 "<pre>" + escape_html(indented_text(context.manifest)) + "</pre>\n");
    }
    return html;
}

}  // namespace fovea::report
