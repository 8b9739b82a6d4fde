#include "lib/report/page/document.hpp"

#include "lib/core/version.hpp"
#include "lib/report/html/html.hpp"
#include "lib/report/html/style.hpp"
#include "lib/report/plots/svg.hpp"

namespace fovea::report {

std::string chart(const DrawnPlot& plot) {
    return "<figure class=\"chart\"><h3>" + escape_html(plot.title) + "</h3>\n<div class=\"" +
           (plot.wide ? "drawing wide" : "drawing") + "\" tabindex=\"0\" role=\"region\" aria-label=\"" +
           escape_html(plot.title) + "\">" +
           inline_svg(plot.bare_svg, plot.stem + "-", plot.title + ". " + plot.caption) +
           "</div><figcaption>" + escape_html(plot.caption) + "</figcaption></figure>\n";
}

std::string charts(const std::vector<DrawnPlot>& plots) {
    if (plots.empty()) return {};
    std::string html = "<div class=\"columns charts\">\n";
    for (const DrawnPlot& plot : plots) html += chart(plot);
    return html + "</div>\n";
}

std::string document_page(const Document& document) {
    std::string links;
    std::string sections;
    for (const DocumentPart& part : document.parts) {
        if (part.html.empty()) continue;
        links += "<a href=\"#" + part.id + "\">" + escape_html(part.title) + "</a>";
        sections += "<section id=\"" + part.id + "\"><h2>" + escape_html(part.title) + "</h2>\n" + part.html +
                    "</section>\n";
    }
    std::string page =
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
        escape_html(document.title) + "</title>\n<style>" + style_sheet + document.style +
        "</style>\n</head>\n<body>\n<main>\n<header>\n<h1>" + escape_html(document.title) +
        "</h1>\n<p class=\"lead\">" + document.lead + "</p>\n";
    if (!document.protocol.empty()) {
        page += "<p class=\"protocol\">" + escape_html(document.protocol) + "</p>\n";
    }
    std::string related;
    for (const RelatedReport& report : document.related) {
        related += (related.empty() ? "" : ", ") + std::string("<a href=\"") + escape_html(report.address) +
                   "\">" + escape_html(report.title) + "</a>";
    }
    if (!related.empty())
        page += "<p class=\"note related\">Other reports of this run: " + related + "</p>\n";
    return page + "<nav>" + links + "</nav>\n</header>\n" + document.headline + sections +
           "<footer>Made by fovea " + fovea_version() + ". " + escape_html(document.footer) +
           "</footer>\n</main>\n<script>" + page_script + "</script>\n</body>\n</html>\n";
}

}  // namespace fovea::report
