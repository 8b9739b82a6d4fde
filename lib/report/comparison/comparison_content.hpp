#pragma once

#include <string>

#include "lib/report/comparison/comparison_report.hpp"
#include "lib/report/model/report.hpp"

namespace fovea::report {

/// The report on a comparison. Cuts the pictures of images that changed.
Report comparison_content(const Comparison& comparison, const ComparisonReportOptions& options);

/// Pictures of at most `limit` images that changed: for each, one with A's detections and one with B's.
Gallery changed_images(const ComparedDetections& detections, int limit, const DecodeOptions& decode);

/// The difference with its sign; a difference of rates is in percentage points.
std::string difference_text(const ComparedNumber& number, double difference);

/// A p-value: "0.035", "1.2e-05".
std::string p_text(double p);

/// "+1 face, -2 faces, +3 false positives": what B has and A lacks, and the reverse.
std::string change_summary(const ImageChange& change);

}  // namespace fovea::report
