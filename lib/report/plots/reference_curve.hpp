#pragma once

#include <string>
#include <vector>

namespace fovea::report {

/// A curve that somebody published, drawn behind the detectors' own.
struct ReferenceCurve {
    std::string name;
    bool continuous = false;              ///< of FDDB's continuous score; else of the detection rate
    std::vector<double> rates;            ///< in [0, 1]
    std::vector<double> false_positives;  ///< parallel: totals in all images
};

/// Reads a curve: lines of `rate false_positives` with anything behind, as FDDB's result page has them;
/// blanks or commas between, '#' begins a comment, one line of headings may come first.
/// \param specification "FILE" or "NAME=FILE"; without a name it is the file's, without extension.
/// \throws UsageError if the file is not there; Error naming file and line for anything else.
ReferenceCurve read_reference_curve(const std::string& specification, bool continuous);

}  // namespace fovea::report
