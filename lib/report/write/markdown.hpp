#pragma once

#include <string>
#include <string_view>

#include "lib/report/model/report.hpp"

namespace fovea::report {

/// Text that Markdown shows as it is, also within a table.
std::string markdown_text(std::string_view text);

/// A report as GitHub's Markdown, for issues, wikis and the summaries of a CI: its text and tables; plots are
/// referred to as the SVG files beside it. Closed folds and pictures are left out.
std::string markdown_report(const Report& report);

}  // namespace fovea::report
