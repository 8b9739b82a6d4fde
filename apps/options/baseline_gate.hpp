#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/json/json_fwd.hpp"
#include "lib/run/regression_gate.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace fovea {

/// The gate that an earlier report is: --no-worse-than FILE, --tolerance T and --metric KEY. They mean the
/// same in every command.
struct BaselineFlags {
    std::optional<std::string> baseline;
    std::optional<double> tolerance;
    std::vector<std::string> metrics;
    /// --junit FILE: the verdicts of these gates and of --require; see junit.hpp.
    std::optional<std::string> junit;

    bool any() const { return baseline || tolerance || !metrics.empty(); }
};

void add_baseline_flags(CLI::App& app, BaselineFlags& flags);

/// Also reads the baseline, so that a wrong one is found before the work, and no report is written over it.
/// \throws UsageError for --tolerance or --metric without --no-worse-than, and a tolerance out of range; what
/// read_report throws.
void check_baseline_flags(const BaselineFlags& flags);

/// Prints whether all numbers passed, on standard error; `code` becomes gate_failed if not. \param a, b how
/// the earlier and the later report are called.
void print_regressions(const std::vector<GatedNumber>& numbers, const RegressionGate& gate,
                       const std::string& a, const std::string& b, ExitCode& code);

/// Judges a report by the earlier one: the first evaluation of each, or the one that the flag names. Prints a
/// sentence on standard error if a number is worse by more than the tolerance. \param report as report.json.
/// \param section "detection", "landmarks", "tracks", "verification" or "identification". \param points of
/// false positives at which detection rates are judged. \param code becomes gate_failed then.
/// \return {"baseline", "tolerance", "numbers": [{"key", "baseline", "measured", "worse_by", "passed"}]}.
/// \throws UsageError if the earlier report is of another kind or task; what read_report and judge throw.
Json check_baseline(const BaselineFlags& flags, const Json& report, const std::string& section,
                    const std::vector<int>& points, ExitCode& code);

}  // namespace fovea
