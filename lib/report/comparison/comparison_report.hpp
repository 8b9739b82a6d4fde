#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lib/evaluate/compare/comparison.hpp"
#include "lib/image/formats/decode.hpp"
#include "lib/report/plots/plot.hpp"

namespace fovea {

struct ComparisonReportOptions {
    std::string title;     ///< empty = made from the names
    int thumbnails = 24;   ///< at most this many images that changed are shown
    DecodeOptions decode;  ///< as when detecting
};

/// Writes compare.json, compare.md, compare_*.svg and compare.html into `folder` (made if it is not there).
///
/// compare.html needs no other file and no network. Files come into their places together at the end; equal
/// arguments give equal bytes. \return the path of compare.html.
/// \throws Error if the folder or a file cannot be written, or gnuplot fails or is missing.
std::filesystem::path write_comparison_report(const std::filesystem::path& folder,
                                              const Comparison& comparison,
                                              const ComparisonReportOptions& options);

/// The numbers as people read them, a row each, headings first: number, A, B, difference, 95 % interval, p
/// and, where `with_effect`, Cohen's h. Only those that are better one way; all if there is none such.
std::vector<std::vector<std::string>> comparison_rows(const Comparison& comparison, bool with_effect);

/// "12 faces are found by A alone, 3 by B alone; McNemar p = 0.035 (exact binomial).", for paired
/// comparisons.
std::string faces_sentence(const ComparedDetections& detections);

namespace report {

/// compare.html.
std::string comparison_page(const Comparison& comparison, const ComparisonReportOptions& options,
                            const std::vector<DrawnPlot>& plots);

/// compare.md.
std::string comparison_markdown(const Comparison& comparison, const std::string& title);

/// "A: mct and B: alt2", or as the options say.
std::string comparison_title(const Comparison& comparison, const ComparisonReportOptions& options);

/// Pictures of the images that changed, A's and B's detections side by side; at most `limit`.
std::string changed_images(const ComparedDetections& detections, int limit, const DecodeOptions& decode);

/// "+1 face, -2 faces, +3 false alarms": what B has that A has not, and the reverse.
std::string change_summary(const ImageChange& change);

}  // namespace report

}  // namespace fovea
