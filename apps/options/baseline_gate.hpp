#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/terminal/cli_fwd.hpp"
#include "lib/core/error.hpp"
#include "lib/json/json_fwd.hpp"
#include "lib/report/stored/regression_gate.hpp"

namespace fovea {

/// The gate that an earlier report is: --no-worse-than FILE, --tolerance T, --significant and --metric KEY.
/// They mean the same in every command.
struct BaselineFlags {
    std::optional<std::string> baseline;
    std::optional<double> tolerance;
    std::vector<std::string> metrics;
    bool significant = false;
    /// --junit FILE: the verdicts of these gates and of --require; see junit.hpp.
    std::optional<std::string> junit;

    bool any() const { return baseline || tolerance || !metrics.empty() || significant; }
    /// The numbers of false positives that metrics name.
    std::vector<int> points() const;
    RegressionGate gate() const {
        return {tolerance.value_or(RegressionGate{}.tolerance), metrics, significant};
    }
};

void add_baseline_flags(CLI::App& app, BaselineFlags& flags);

/// Also reads the baseline and its record, so that a wrong one is found before the work, and no report is
/// written over it. \throws UsageError for --tolerance, --significant or --metric without --no-worse-than,
/// and a tolerance out of range; what read_report throws.
void check_baseline_flags(const BaselineFlags& flags);

/// Judges report B by A (judge_reports) and prints the verdict, on standard error, with why numbers are not
/// paired. \param code becomes gate_failed if a number is worse \return {"baseline", "tolerance",
/// "significant_only", "paired", "method", "numbers": [{"key", "baseline", "measured", "worse_by",
/// "difference_ci95", "paired", "passed"}], "passed"} \throws as judge_reports
Json check_regressions(const StoredReport& first, const StoredReport& second, const CompareRequest& request,
                       const RegressionGate& gate, ExitCode& code, const Comparison* done = nullptr);

/// The same of an evaluation by the earlier report that the flags name: the first evaluation of each, or the
/// one that the flag names. \param report as report.json \param section "detection", "landmarks", "tracks",
/// "verification" or "identification" \param record as report_in_memory() takes it
/// \throws UsageError if the earlier report is of another kind or task; what read_report throws
Json check_baseline(const BaselineFlags& flags, const Json& report, const std::string& section,
                    const std::string& record, ExitCode& code);

}  // namespace fovea
