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

    /// Path in report.json, names joined by '.', list items as NAME[INDEX]; or a name as resolve_metric takes
    /// it: "ap", "recall@16fp", "tar@far=0.001", "nme"; or one of a detector by its name, as split_metric
    /// takes it: "wild.ap".
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

/// \throws UsageError if the report has no number of that name, with the nearest name there is.
GateResult check_gate(const AccuracyGate& gate, const Json& report);

/// Checks all gates, with a sentence on standard error for each at the command's end. \param code becomes
/// gate_failed then. \return {"require", "measured", "passed"} of each. \throws as check_gate.
Json check_gates(const std::vector<AccuracyGate>& gates, const Json& report, ExitCode& code);

}  // namespace fovea
