#pragma once

#include <string>

#include "lib/report/page.hpp"

namespace fovea::report {

/// report.md: the numbers of report.html as Markdown (GitHub's tables), for issues, wikis and pull requests; the plots
/// are referred to as the SVG files beside it.
std::string report_markdown(const PageContent& content);

/// Text that Markdown shows as it is, also within a table.
std::string escape_markdown(std::string_view text);

/// A table: the first row is the heading, the first column flush left, the others flush right. Cells are Markdown.
std::string markdown_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace fovea::report
