#include "lib/report/write/page.hpp"

#include <string_view>

#include "lib/json/json.hpp"
#include "lib/report/model/xml_text.hpp"
#include "lib/report/viewer/viewer_files.hpp"
#include "lib/report/write/view_json.hpp"

namespace fovea::report {
namespace {

// JSON that no HTML parser takes for markup.
std::string embedded(const Json& json) {
    std::string text;
    for (const char c : json.dump()) {
        if (c == '<') {
            text += "\\u003c";
        } else {
            text += c;
        }
    }
    return text;
}

void replace(std::string& page, std::string_view place, const std::string& text) {
    const std::size_t begin = page.find(place);
    if (begin != std::string::npos) page.replace(begin, place.size(), text);
}

}  // namespace

std::string filled_page(std::string_view skeleton, const std::string& title, const std::string& style,
                        const Json& data, const std::vector<std::string_view>& scripts) {
    std::string page(skeleton), joined;
    for (const std::string_view script : scripts)
        joined.append("<script>\n").append(script).append("</script>\n");
    replace(page, "<!-- title -->", escape_html(title));
    replace(page, "<!-- style -->", style);
    replace(page, "<!-- data -->",
            "<script type=\"application/json\" id=\"report\">" + embedded(data) + "</script>");
    replace(page, "<!-- scripts -->", joined);
    return page;
}

std::string page_of(const Report& report) {
    return filled_page(viewer_page(), report.title, std::string(viewer_style()), view_json(report),
                       viewer_scripts());
}

}  // namespace fovea::report
