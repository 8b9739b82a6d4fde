#pragma once

#include <string>

namespace fovea {

/// A threshold that another run's report brings.
struct GivenThreshold {
    double value = 0;
    std::string origin;  ///< "dev/report.json, threshold_at_eer"
};

/// Reads a threshold that was fixed on one set of pairs, to be applied to another.
///
/// \param specification "REPORT.json" or "REPORT.json:KEY", KEY being one of `verification`'s numbers: threshold_at_eer
///        (default), threshold_at_far_0.001, ..., threshold.
/// \param recogniser if the report has several, the one of this name is taken, else its first.
/// \param distance whether the scores that it will be applied to are distances.
/// \throws UsageError if the file is not there, is no report of a verification or has no such threshold, or if its scores
///         are distances and these are not, or the other way round; Error if it cannot be read.
GivenThreshold threshold_from(const std::string& specification, const std::string& recogniser, bool distance);

}  // namespace fovea
