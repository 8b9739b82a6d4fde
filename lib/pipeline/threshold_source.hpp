#pragma once

#include <string>

#include "lib/pipeline/compare.hpp"

namespace fovea {

/// Where a score threshold is taken from: an operating point of an earlier run's report.
struct ThresholdSource {
    StoredReport report;
    std::string file;          ///< as the user wrote it
    int false_positives = -1;  ///< the threshold of the rate at that many; -1 = that of the best F1
};

/// "REPORT.json", "REPORT.json:best_f1" or "REPORT.json:16fp"; the report's folder will do.
/// \throws UsageError for another point; what read_report throws.
ThresholdSource parse_threshold_source(const std::string& text);

struct FixedThreshold {
    double threshold = 0;
    std::string origin;  ///< "best F1 of base/report.json"
};

/// The threshold for a detector: of the report's detector of that name, or, where the report has one detector only, of
/// that. \throws UsageError if the report has several and none of that name, or no threshold reaches the point.
FixedThreshold threshold_for(const ThresholdSource& source, const std::string& detector);

}  // namespace fovea
