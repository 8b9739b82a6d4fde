#pragma once

#include <string>
#include <vector>

#include "lib/evaluate/compare/comparison.hpp"
#include "lib/report/stored/compare.hpp"

namespace fovea {

/// How much worse B may be than A.
struct RegressionGate {
    double tolerance = 0;  ///< in the number's own unit: 0.01 is one point of a rate in percent
    /// Names as resolve_metric takes them; empty = the headline numbers.
    std::vector<std::string> metrics;
    /// Fails only where the interval of the difference excludes 0, too.
    bool significant_only = false;
};

struct GatedNumber {
    ComparedNumber number;
    bool passed = true;
};

/// Judges the numbers: one fails if B is worse by more than the tolerance (and by more than 1e-12, for
/// rounding). Numbers that either side leaves undefined are not judged. \param rivals names that a wrong
/// metric might mean.
/// \throws UsageError for a metric that is not among the numbers, has no direction or is undefined on a side,
/// if there is no headline number, or with significant_only for a number without interval.
std::vector<GatedNumber> judge(const std::vector<ComparedNumber>& numbers, const RegressionGate& gate,
                               const std::vector<std::string>& rivals = {});

/// The numbers of a comparison, and further numbers that both reports have; these have no interval if the
/// comparison is paired. \param first, second the report.json of the two.
std::vector<ComparedNumber> all_numbers(const Comparison& comparison, const Json& first, const Json& second);

/// The numbers of two reports, judged, and how their intervals were made.
struct JudgedReports {
    std::vector<GatedNumber> numbers;
    bool paired = false;
    /// Comparison::method of each detector that was compared.
    std::vector<std::string> methods;
};

/// Judges report B by A: the detector that each report was read for, and the detectors that metrics name
/// ("wild.ap", split_metric), which both reports must have; the key of such a number begins with the
/// detector's name. Images, pairs and probes are paired as compare_reports() pairs them; numbers without a
/// record come from report.json.
/// \param request says how the reports are called. \param done the result of compare_reports() for the two,
/// if it was called. \throws UsageError if the reports are not of the same task; what judge() and
/// compare_reports() throw.
JudgedReports judge_reports(const StoredReport& first, const StoredReport& second,
                            const CompareRequest& request, const RegressionGate& gate,
                            const Comparison* done = nullptr);

/// A sentence on the first number that failed, and the names of the others; empty if all passed.
std::string failure_sentence(const std::vector<GatedNumber>& judged, const RegressionGate& gate,
                             const std::string& a, const std::string& b);

/// A sentence on numbers that all passed: "none of 3 numbers is worse than in A by more than 0.01".
std::string success_sentence(const std::vector<GatedNumber>& judged, const RegressionGate& gate,
                             const std::string& a);

/// " (95 % CI of the difference -0.03 to -0.01, paired)"; empty without an interval.
std::string interval_in_words(const ComparedNumber& number);

/// "detection.average_precision is 0.88 in B and 0.9 in A, worse by 0.02, and 0.01 was allowed (95 % CI of
/// the difference -0.03 to -0.01, paired)". \param a, b how the sides are called.
std::string regression_sentence(const ComparedNumber& number, const RegressionGate& gate,
                                const std::string& a, const std::string& b);

}  // namespace fovea
