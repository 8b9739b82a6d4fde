#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fovea::report {

/// Text as XML and HTML may hold it: bytes that are not valid UTF-8, control characters other than tab and
/// line breaks, U+FFFE and U+FFFF become U+FFFD.
std::string xml_text(std::string_view text);

/// xml_text() made safe for element content and quoted attribute values: & < > " ' become entities.
std::string escape_html(std::string_view text);

/// As escape_html, and the line may break after _ - . / as names of files and detectors have no spaces.
std::string breakable(std::string_view text);

/// `<tag class="kind">content</tag>`; content is HTML already.
std::string element(std::string_view tag, std::string_view kind, std::string_view content);

/// Plain text in bold type.
std::string strong(std::string_view text);

/// HTML on a line of its own, in small type.
std::string small_line(std::string_view html);

/// A table. Cells are HTML already; headers are plain text.
struct HtmlColumn {
    std::string header;
    bool numeric = true;  ///< aligned on the right, digits of equal width
    std::string hint{};   ///< shown when the pointer rests on the header; may be empty
};
struct HtmlCell {
    std::string html;
    std::string sort_key{};  ///< what a click on the header sorts by; empty = the text as shown
    bool best = false;       ///< stands out
};
using HtmlRow = std::vector<HtmlCell>;

/// In a box of its own, in which a table that is too wide scrolls while its first column stays; the box can
/// be focused, so that the arrow keys scroll it. \param sortable clicks on headers sort the rows where
/// scripts run; without them the table is as given. \param caption plain text above the table, for all who
/// come to it without the heading; empty = none, and the box is named after the first column.
std::string table(const std::vector<HtmlColumn>& columns, const std::vector<HtmlRow>& rows,
                  bool sortable = false, const std::string& caption = {});

/// A part that is closed until it is clicked. `summary` is plain text. Prints show it open.
std::string folded(const std::string& summary, const std::string& content, bool open = false);
/// The same of what has no place on paper: prints leave it out.
std::string folded_on_screen(const std::string& summary, const std::string& content);

}  // namespace fovea::report
