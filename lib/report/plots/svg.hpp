#pragma once

#include <string>

namespace fovea::report {

/// gnuplot's SVG made fit for a file: a title of its own, no version comment, no unused definitions or empty
/// groups, solid grid lines. Depends on the plot only, not on the release of gnuplot's boilerplate.
/// \throws Error if `raw` is not an SVG document.
std::string tidy_svg(const std::string& raw, const std::string& title);

/// A tidied SVG made fit to stand inside an HTML page: no XML header and no namespaces, every id starts with
/// `prefix` (several plots in one page must not share ids), and the plot palette's colours become CSS
/// variables (--plot-ink, --plot-1, ...), so that the page's style sheet has the last word.
std::string inline_svg(const std::string& tidied, const std::string& prefix, const std::string& label);

}  // namespace fovea::report
