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

// If a report has several evaluations, the threshold is from the evaluation of the same name, because scores
// of different detectors or recognisers have different scales. If it has only one, that one is taken, and a
// warning says both names if they differ: names mostly come from file names.

/// The source of a score threshold of detectors: an operating point of an earlier run's report.
struct ThresholdSource {
    StoredReport report;
    /// The report's path, as the user wrote it.
    std::string file;
    /// The detector that was named; empty = the one of the same name.
    std::string name;
    OperatingPointChoice point;
};

/// Reads "REPORT.json" (best F1) or "REPORT.json:POINT", or "REPORT.json:NAME" or "REPORT.json:NAME:POINT"
/// for the threshold of one detector, whatever is evaluated. The report's folder may stand for REPORT.json.
/// POINT is a text of find_operating_point(), except a score and "all". \throws UsageError for another point,
/// and for a name that the report lacks, with the nearest name and all names; what read_report_file throws.
ThresholdSource parse_threshold_source(const std::string& text);

/// The threshold for a detector. \throws UsageError if the report has several detectors and none of that
/// name, or no threshold reaches the point.
ReportThreshold threshold_for(const ThresholdSource& source, const std::string& detector);

/// Reads a threshold that was fixed on one set of pairs, to be applied to another.
///
/// \param specification "REPORT.json", "REPORT.json:KEY", "REPORT.json:NAME" or "REPORT.json:NAME:KEY". NAME
/// is a recogniser, KEY a number of `verification`: threshold_at_eer (default), threshold_at_far_0.001, ...,
/// threshold. The report's folder may stand for REPORT.json.
/// \param distance true if the threshold will be applied to distances.
/// \throws UsageError if the report is of no verification, has several recognisers and none of that name, has
/// no such threshold, or if only one of the two kinds of scores is a distance; what read_report_file throws.
ReportThreshold threshold_from(const std::string& specification, const std::string& recogniser,
                               bool distance);

}  // namespace fovea
