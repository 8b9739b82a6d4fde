#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/core/types.hpp"
#include "lib/json/json_fwd.hpp"

namespace fovea {

/// A demand on a report's number, such as "detection.average_precision>=0.9".
struct AccuracyGate {
    enum class Relation { at_least, at_most, above, below, equal };

    /// A path in report.json: names joined by '.', list items as NAME[INDEX]. Or a name for resolve_metric():
    /// "ap", "recall@16fp", "tar@far=0.001", "nme". Or a detector's name and such a name, for
    /// split_metric(): "wild.ap".
    std::string key;
    Relation relation = Relation::at_least;
    double value = 0;
    std::string text;  ///< as the user wrote it
};

/// Reads KEY>=VALUE, KEY<=VALUE, KEY>VALUE, KEY<VALUE or KEY==VALUE. \throws UsageError for anything else.
AccuracyGate parse_gate(const std::string& text);

struct GateResult {
    bool passed = false;
    double measured = 0;
    std::optional<Interval> ci95;
};

/// "recall@16fp >= 0.92 was required, but it is 0.905 (95 % CI 0.87-0.93)".
std::string failure_sentence(const AccuracyGate& gate, const GateResult& result);

/// Checks a gate. \throws UsageError, with the nearest name, if the report has no number of the gate's key.
GateResult check_gate(const AccuracyGate& gate, const Json& report);

/// Checks all gates, and prints a sentence for each on standard error at the command's end. \param code
/// becomes gate_failed if one fails. \return {"require", "measured", "passed"} for each.
/// \throws as check_gate().
Json check_gates(const std::vector<AccuracyGate>& gates, const Json& report, ExitCode& code);

}  // namespace fovea
