#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/terminal/cli_fwd.hpp"
#include "lib/core/error.hpp"
#include "lib/json/json_fwd.hpp"
#include "lib/report/stored/regression_gate.hpp"

namespace fovea {

/// The flags of gates by an earlier report: --no-worse-than FILE, --tolerance T, --significant and --metric
/// KEY. They mean the same in every command.
struct BaselineFlags {
    std::optional<std::string> baseline;
    std::optional<double> tolerance;
    std::vector<std::string> metrics;
    bool significant = false;
    /// --junit FILE: the verdicts of these gates and of --require; see junit.hpp.
    std::optional<std::string> junit;

    bool any() const { return baseline || tolerance || !metrics.empty() || significant; }
    /// The numbers of false positives that --metric names.
    std::vector<int> points() const;
    RegressionGate gate() const {
        return {tolerance.value_or(RegressionGate{}.tolerance), metrics, significant};
    }
};

void add_baseline_flags(CLI::App& app, BaselineFlags& flags);

/// Checks the flags before the work, and reads the baseline and its record, so that a wrong one is
/// found early.
/// \throws UsageError for --tolerance, --significant or --metric without --no-worse-than, and a tolerance out
/// of range; as read_report().
void check_baseline_flags(const BaselineFlags& flags);

/// Judges the second report by the first (judge_reports()), and prints the verdict on standard error, with
/// reasons for numbers that are not paired.
/// \param code  becomes gate_failed if a number is worse
/// \param done  the comparison of the reports if it was made; null: it is made here
/// \return {"baseline", "tolerance", "significant_only", "paired", "method", "numbers": [{"key", "baseline",
/// "measured", "worse_by", "difference_ci95", "paired", "passed"}], "passed"}
/// \throws as judge_reports()
Json check_regressions(const StoredReport& first, const StoredReport& second, const CompareRequest& request,
                       const RegressionGate& gate, ExitCode& code, const Comparison* done = nullptr);

/// Judges an evaluation by the earlier report of --no-worse-than, as check_regressions() does: the first
/// evaluation of each, or the one that the flag names.
/// \param report   as in report.json
/// \param section  "detection", "landmarks", "tracks", "verification", "identification" or "clustering"
/// \param record   as for report_in_memory()
/// \throws UsageError if the earlier report is of another kind or task; as read_report()
Json check_baseline(const BaselineFlags& flags, const Json& report, const std::string& section,
                    const std::string& record, ExitCode& code);

}  // namespace fovea
