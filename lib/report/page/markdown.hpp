#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/core/text.hpp"
#include "lib/evaluate/statistics/resample.hpp"
#include "lib/report/html/format.hpp"
#include "lib/report/plots/plot.hpp"

namespace fovea::report {

// report.md: the numbers of report.html as Markdown (GitHub's tables), for issues, wikis and pull requests;
// the plots are referred to as the SVG files beside it.

// The parts of the files of all evaluations.

/// Text that Markdown shows as it is, also within a table.
std::string escape_markdown(std::string_view text);

/// Rows of cells, which are Markdown; the first row is the heading.
using MarkdownRows = std::vector<std::vector<std::string>>;

/// A table: the first column flush left, the others flush right.
std::string markdown_table(const MarkdownRows& rows);

/// A table's heading: `first`, then the names, escaped.
MarkdownRows markdown_heading(const std::string& first, const std::vector<std::string>& names);

/// A row of whole numbers. \param count of an evaluation: a member or a function.
template <class Evaluations, class Count>
void add_counts(MarkdownRows& rows, const std::string& title, const Evaluations& evaluations, Count count) {
    std::vector<std::string> row{title};
    for (const auto& evaluation : evaluations) {
        row.push_back(grouped(static_cast<long long>(std::invoke(count, evaluation))));
    }
    rows.push_back(std::move(row));
}

/// A row for each number of the first list, which the others have in the same order; a column for each list.
void add_numbers(MarkdownRows& rows, const std::vector<const Numbers*>& lists, const Decimals& decimals = {});

/// A sentence on what stands in brackets; empty without resamples. \param units that were resampled:
/// "images".
std::string interval_note(int resamples, const std::string& units);

struct MarkdownPage {
    std::string title;                  ///< plain text, as are the others but for the tables
    std::string lead;                   ///< what was evaluated on what
    std::string protocol;               ///< what counts
    std::string tables;                 ///< Markdown
    std::string note;                   ///< under the tables; may be empty
    std::vector<std::string> warnings;  ///< sentences
    std::vector<DrawnPlot> plots;
};
/// The whole file.
std::string markdown_page(const MarkdownPage& page);
/// The whole file of several evaluations, each under its own title as a heading.
std::string markdown_page(const std::string& title, const std::vector<MarkdownPage>& parts);

}  // namespace fovea::report
