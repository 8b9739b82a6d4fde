#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lib/report/model/report.hpp"

namespace fovea::report {

/// How LaTeX tables show intervals.
enum class LatexIntervals {
    /// 86.2 [85.0, 87.3]: the interval as it is.
    brackets,
    /// 86.2 ± 1.2: half its width, which says less of an interval that leans to one side.
    plus_minus,
};

/// The look named "brackets" or "plus-minus"; nothing for an empty name. \throws UsageError for other names.
std::optional<LatexIntervals> latex_intervals_of(const std::string& name);

/// Text that LaTeX sets as it is.
std::string latex_text(std::string_view text);

/// A table of booktabs, for \input, with the rows of `table`, the best in bold, and shares in percent with
/// the sign in the heading. \param label of \label: "tab:roc".
std::string latex_table(const Table& table, const std::string& label, LatexIntervals intervals);

/// All tables of a report that stand open, one below the other, with what its preamble needs in a comment.
std::string latex_report(const Report& report, LatexIntervals intervals);

}  // namespace fovea::report
