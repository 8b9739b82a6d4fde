#pragma once

#include <string>

#include "lib/evaluate/analysis/operating_point.hpp"
#include "lib/report/stored/compare.hpp"

namespace fovea {

/// A threshold that an earlier run's report brings.
struct ReportThreshold {
    double value = 0;
    std::string origin;  ///< "best F1 of base/report.json", "dev/report.json, threshold_at_eer"
};

// A report of several evaluations gives the one of the same name: scores of different detectors or
// recognisers have different scales. A report of one alone gives that, and a warning says both names if they
// differ: a name is mostly that of a file.

/// The source of a score threshold of detectors: an operating point of an earlier run's report.
struct ThresholdSource {
    StoredReport report;
    /// The report's path, as the user wrote it.
    std::string file;
    /// The detector that was named; empty = that of the same name.
    std::string name;
    OperatingPointChoice point;
};

/// "REPORT.json" (best F1) or "REPORT.json:POINT", and "REPORT.json:NAME" or "REPORT.json:NAME:POINT" for the
/// threshold of one detector, whatever is evaluated; the report's folder will do. POINT is an operating point
/// as find_operating_point() takes it, but no score and not "all". \throws UsageError for another point and
/// for a name that the report has not, with the nearest and all that there are; what read_report_file throws.
ThresholdSource parse_threshold_source(const std::string& text);

/// The threshold for a detector.
/// \throws UsageError if the report has several detectors and none of that name, or no threshold reaches the
/// point.
ReportThreshold threshold_for(const ThresholdSource& source, const std::string& detector);

/// Reads a threshold that was fixed on one set of pairs, to be applied to another.
///
/// \param specification "REPORT.json", "REPORT.json:KEY", "REPORT.json:NAME" or "REPORT.json:NAME:KEY", NAME
/// being that of a recogniser and KEY one of `verification`'s numbers: threshold_at_eer (default),
/// threshold_at_far_0.001, ..., threshold; the report's folder will do.
/// \param distance whether the scores that it will be applied to are distances.
/// \throws UsageError if the report is of no verification, has several recognisers and none of that name, or
/// has no such threshold, or if its scores are distances and these are not, or the other way round; what
/// read_report_file throws.
ReportThreshold threshold_from(const std::string& specification, const std::string& recogniser,
                               bool distance);

}  // namespace fovea
