#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lib/evaluate/compare/comparison.hpp"
#include "lib/files/input_files.hpp"
#include "lib/image/formats/decode.hpp"
#include "lib/report/model/table.hpp"
#include "lib/report/page/verdicts.hpp"

namespace fovea {

struct ComparisonReportOptions {
    std::string title;     ///< empty = made from the names
    int thumbnails = 24;   ///< at most this many images that changed are shown
    DecodeOptions decode;  ///< as when detecting
    /// Verdicts of the accuracy gate, where the comparison is one.
    std::vector<report::Verdict> verdicts{};
};

/// Writes compare.json, compare.md, compare_*.svg, compare_*.pdf and compare.html into `folder` (made if it
/// is not there).
///
/// compare.html needs no other file and no network. Files come into their places together at the end; equal
/// arguments give equal bytes. \return the path of compare.html.
/// \throws Error if the folder or a file cannot be written, or gnuplot fails or is missing.
std::filesystem::path write_comparison_report(const OutputFolder& folder, const Comparison& comparison,
                                              const ComparisonReportOptions& options);

/// The numbers of A and B as people read them, with difference, interval, p and Cohen's h: only the numbers
/// for which higher or lower is better, or all if there are none.
report::Table comparison_table(const Comparison& comparison);

/// For paired comparisons: "12 faces are found by A alone, 3 by B alone; McNemar p = 0.035 (exact binomial)."
std::string faces_sentence(const ComparedDetections& detections);

}  // namespace fovea
