#include "lib/report/page/page_parts.hpp"

#include <algorithm>

#include <spdlog/fmt/fmt.h>

#include "lib/core/text.hpp"
#include "lib/core/version.hpp"
#include "lib/report/html/format.hpp"
#include "lib/report/html/html.hpp"
#include "lib/report/html/palette.hpp"
#include "lib/report/page/skipped.hpp"

namespace fovea::report {
namespace {

constexpr std::size_t max_skipped_rows = 200;
constexpr std::size_t max_open_warnings = 10;

}  // namespace

std::string tile(const std::string& label, const std::string& value, const std::string& detail) {
    return fmt::format(
        "<div class=\"tile\"><span class=\"label\">{}</span><span class=\"value\">{}</span>"
        "<span class=\"detail\">{}</span></div>\n",
        escape_html(label), escape_html(value), escape_html(detail));
}

std::string series_name(const std::vector<std::string>& names, std::size_t i) {
    const std::string name = "<span class=\"name\">" + breakable(names[i]) + "</span>";
    if (names.size() < 2) return name;
    const SeriesStyle style = series_styles(names)[i];
    const std::string colour = "var(" + series_variable(style.colour) + ")";
    const std::string look = style.is_calibrated
                                 ? "swatch calibrated\" style=\"border-color:" + colour
                                 : "swatch\" style=\"background:" + colour + ";border-color:" + colour;
    return "<span class=\"series\"><i class=\"" + look + "\"></i>" + name + "</span>";
}

std::string plot_legend(const std::vector<std::string>& names) {
    if (names.size() < 2) return {};
    std::string html = "<div class=\"legend plots\">\n";
    const std::vector<SeriesStyle> styles = series_styles(names);
    for (std::size_t i = 0; i < names.size(); ++i) {
        html += "<span><svg viewBox=\"0 0 34 12\"><path d=\"M1 6H33\" style=\"stroke:var(" +
                series_variable(styles[i].colour) + ")\"";
        const std::vector<int>& dashes = styles[i].dashes;
        if (!dashes.empty()) html += fmt::format(" stroke-dasharray=\"{}\"", fmt::join(dashes, ","));
        html += "/></svg>" + breakable(names[i]) + "</span>\n";
    }
    return html + "</div>\n";
}

std::string picture_figure(const PictureFigure& figure) {
    const auto step = [](const std::string& target, const std::string& text) {
        return target.empty() ? "" : "<a href=\"#" + target + "\">" + text + "</a>";
    };
    // Closing leads to the picture's place in the page, not to its beginning.
    return "<figure id=\"" + figure.id + "\"><span id=\"" + figure.id +
           "-place\"></span><div class=\"step\">" + step(figure.previous, "previous") +
           step(figure.next, "next") + step(figure.id + "-place", "close") +
           "</div><a class=\"enlarge\" href=\"#" + figure.id + "\">" + figure.picture + "</a><figcaption>" +
           figure.caption + "</figcaption></figure>\n";
}

std::string picture_grid(const Dataset& dataset, const std::vector<Exhibit>& exhibits,
                         const std::vector<Thumbnail>& thumbnails, const std::string& what,
                         const std::string& id) {
    const auto facts_of = [&](std::size_t i, const std::string& separator) {
        std::string facts;
        for (const std::string& fact : exhibits[i].facts) facts += (facts.empty() ? "" : separator) + fact;
        return facts;
    };
    const auto image_of = [&](std::size_t i) -> const std::string& {
        return dataset.samples[exhibits[i].sample].image;
    };
    const bool none_readable =
        std::all_of(thumbnails.begin(), thumbnails.end(), [](const Thumbnail& t) { return t.jpeg.empty(); });
    if (none_readable && !thumbnails.empty()) {
        std::string list;
        for (std::size_t i = 0; i < exhibits.size(); ++i) {
            list += element("li", "", breakable(image_of(i)) + ": " + escape_html(facts_of(i, "; "))) + "\n";
        }
        return "<p class=\"note\">" + escape_html("No picture can be shown: " + thumbnails[0].unreadable) +
               "</p>\n<ul>\n" + list + "</ul>\n";
    }
    const auto id_of = [&](std::size_t i) {
        return i < exhibits.size() ? id + "-" + std::to_string(i + 1) : std::string();
    };
    std::string html = "<div class=\"gallery\">\n";
    for (std::size_t i = 0; i < exhibits.size(); ++i) {
        const std::string& image = image_of(i);
        std::string caption =
            "<b title=\"" + escape_html(image) + "\">" + breakable(shortened(image, 44)) + "</b>";
        for (std::size_t f = 0; f < exhibits[i].facts.size(); ++f) {
            caption += (f > 0 ? "<br>" : "") + escape_html(exhibits[i].facts[f]);
        }
        html += picture_figure(
            {id_of(i), i > 0 ? id_of(i - 1) : "", id_of(i + 1),
             thumbnail_svg(thumbnails[i], exhibits[i], what + " in " + image + ": " + facts_of(i, "; ")),
             caption});
    }
    return html + "</div>\n";
}

std::string how_many(std::size_t shown, long long all, const std::string& order) {
    if (static_cast<long long>(shown) >= all)
        return all == 1 ? "The only one." : "All " + grouped(all) + ", " + order + ".";
    return grouped(static_cast<long long>(shown)) + " of " + grouped(all) + ", " + order + ".";
}

std::string definition(const std::string& term, const std::string& text) {
    return "<dt>" + escape_html(term) + "</dt><dd>" + escape_html(text) + "</dd>\n";
}

std::string origin_list(const ReportOrigin& origin) {
    std::string html = "<dl class=\"made\">" + definition("report made by", fovea_version_line());
    if (!origin.time.empty()) html += definition("made at", origin.time);
    if (!origin.host.empty()) html += definition("made on", origin.host);
    if (!origin.command.empty()) html += definition("made with", origin.command);
    return html + "</dl>\n";
}

std::string warning_list(const std::vector<std::string>& sentences) {
    if (sentences.empty()) return {};
    std::string list = "<ul>\n";
    for (const std::string& sentence : sentences) list += element("li", "", breakable(sentence)) + "\n";
    return folded("Warnings (" + grouped(static_cast<long long>(sentences.size())) + ")", list + "</ul>\n",
                  sentences.size() <= max_open_warnings);
}

std::string skipped_table(const std::vector<SkippedImage>& skipped, std::size_t detectors) {
    const std::vector<SkippedGroup> groups = grouped_by_detector(skipped, detectors);
    const bool differ =
        std::any_of(groups.begin(), groups.end(), [](const SkippedGroup& g) { return !g.detectors.empty(); });
    std::vector<HtmlColumn> columns{{"Image", false}, {"Reason", false}};
    if (differ) columns.push_back({"Detectors", false});
    std::vector<HtmlRow> rows;
    for (std::size_t i = 0; i < std::min(groups.size(), max_skipped_rows); ++i) {
        HtmlRow row{{element("span", "path", breakable(groups[i].image))},
                    {element("span", "path", breakable(groups[i].reason))}};
        if (differ) {
            std::string affected;
            for (const std::string& name : groups[i].detectors)
                affected += (affected.empty() ? "" : ", ") + name;
            row.push_back({element("span", "path", breakable(affected.empty() ? "all" : affected))});
        }
        rows.push_back(std::move(row));
    }
    std::string html = "<p class=\"note\">Faces in these images count as missed.</p>\n" +
                       table(columns, rows, false, "Images without a result");
    if (groups.size() > rows.size()) {
        html += "<p class=\"note below\">" +
                escape_html(number_of(static_cast<long long>(groups.size() - rows.size()), "more image")) +
                " in report.json.</p>\n";
    }
    return html;
}

}  // namespace fovea::report
