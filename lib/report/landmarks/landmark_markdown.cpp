#include "lib/report/landmarks/landmark_markdown.hpp"

#include "lib/core/text.hpp"
#include "lib/evaluate/landmarks/landmark_json.hpp"
#include "lib/report/landmarks/landmark_time.hpp"

namespace fovea::report {
namespace {

constexpr Decimals error_decimals{1, 4};
constexpr Decimals pixel_decimals{1, 2};

std::string section(const std::string& title, const MarkdownRows& rows) {
    return "\n## " + escape_markdown(title) + "\n\n" + markdown_table(rows);
}

// The numbers that `pick` takes from every landmarker.
template <class Pick>
std::string numbers_section(const LandmarkPage& page, const std::string& title, const Decimals& decimals,
                            Pick&& pick) {
    std::vector<const Numbers*> lists;
    for (const LandmarkEvaluation& e : page.evaluations) lists.push_back(&pick(e));
    if (lists[0]->empty()) return {};
    MarkdownRows rows = markdown_heading("Number", page.names);
    add_numbers(rows, lists, decimals);
    return section(title, rows);
}

std::string faces_table(const LandmarkPage& page) {
    MarkdownRows rows = markdown_heading("Faces", page.names);
    add_counts(rows, "All that count", page.evaluations, &LandmarkEvaluation::faces);
    add_counts(rows, "Found", page.evaluations, &LandmarkEvaluation::faces_found);
    add_counts(rows, "Missed", page.evaluations, &LandmarkEvaluation::faces_missed);
    std::vector<std::string> rates{"Share missed"};
    for (const LandmarkEvaluation& e : page.evaluations) {
        rates.push_back(number_with_interval(number_of_key(e.totals, "missed_rate"), error_decimals));
    }
    rows.push_back(std::move(rates));
    return markdown_table(rows);
}

// Those who found no face have no errors of regions.
std::string regions_section(const LandmarkPage& page) {
    const std::vector<PartError>* regions = nullptr;
    MarkdownRows rows{{"Region"}};
    for (std::size_t i = 0; i < page.evaluations.size(); ++i) {
        const std::string of = page.evaluations.size() == 1 ? "" : escape_markdown(page.names[i]) + ": ";
        rows[0].push_back(of + "mean");
        rows[0].push_back(of + "median");
        if (!regions && !page.evaluations[i].by_region.empty()) regions = &page.evaluations[i].by_region;
    }
    if (!regions) return {};
    for (std::size_t r = 0; r < regions->size(); ++r) {
        std::vector<std::string> row{(*regions)[r].title};
        for (const LandmarkEvaluation& e : page.evaluations) {
            for (const char* key : {"mean", "median"}) {
                row.push_back(e.by_region.empty()
                                  ? "–"
                                  : number_with_interval(number_of_key(e.by_region.at(r).numbers, key),
                                                         error_decimals));
            }
        }
        rows.push_back(std::move(row));
    }
    const LandmarkEvaluation& first = page.evaluations[0];
    return section("Regions: NME by " + normaliser_title(first.normalisers[first.primary]), rows);
}

std::string levels_section(const std::string& title, const std::vector<JitterLevel>& levels) {
    MarkdownRows rows{{"Share of the box", "Mean NME", "Median NME", "Failures \\> 0.08"}};
    for (const JitterLevel& level : levels) {
        std::vector<std::string> row{fixed(100 * level.amount, 1) + "\u00A0%"};
        for (const Number& number : level.numbers)
            row.push_back(number_with_interval(number, error_decimals));
        rows.push_back(std::move(row));
    }
    return section(title, rows);
}

std::string sensitivity_sections(const LandmarkPage& page) {
    std::string text;
    for (std::size_t i = 0; i < page.evaluations.size(); ++i) {
        if (!page.evaluations[i].sensitivity) continue;
        const BoxSensitivity& sensitivity = *page.evaluations[i].sensitivity;
        const std::string of = page.evaluations.size() == 1 ? "" : page.names[i] + ": ";
        text += levels_section(of + "boxes moved", sensitivity.shifts) +
                levels_section(of + "boxes resized", sensitivity.scales);
    }
    return text;
}

}  // namespace

MarkdownPage landmark_markdown(const LandmarkPage& page) {
    const LandmarkEvaluation& first = page.evaluations[0];
    MarkdownPage file;
    file.lead = number_of(first.faces, "face") + " with " +
                number_of(static_cast<long long>(first.points), "landmark") + " in " +
                number_of(first.images, "image") + " of " + page.dataset.name + ".";
    file.protocol = landmark_protocol_description(first);
    file.tables = faces_table(page);
    for (std::size_t n = 0; n < first.nme.size(); ++n) {
        file.tables += numbers_section(
            page, "NME by " + normaliser_title(first.nme[n].normaliser),
            error_decimals, [n](const LandmarkEvaluation& e) -> auto& { return e.nme.at(n).numbers; });
    }
    file.tables += numbers_section(
        page, "Mean distance in pixels", pixel_decimals,
        [](const LandmarkEvaluation& e) -> auto& { return e.pixels; });
    file.tables += regions_section(page);
    file.tables += landmark_time_markdown(page);
    file.tables += sensitivity_sections(page);
    file.note = interval_note(first.options.bootstrap_resamples, "images");
    file.warnings = page.dataset.warnings;
    for (std::size_t i = 0; i < page.evaluations.size(); ++i) {
        for (const std::string& warning : page.evaluations[i].warnings) {
            file.warnings.push_back(page.names[i] + ": " + warning);
        }
    }
    file.plots = page.plots.all();
    return file;
}

}  // namespace fovea::report
