#pragma once

#include <string>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/core/json.hpp"

namespace fovea {

/// A demand on a report's number, such as "detection.average_precision>=0.9".
struct AccuracyGate {
    enum class Relation { at_least, at_most, above, below, equal };

    std::string key;  ///< path in report.json: names joined by '.', list items as NAME[INDEX]
    Relation relation = Relation::at_least;
    double value = 0;
    std::string text;  ///< as the user wrote it
};

/// Reads KEY>=VALUE, KEY<=VALUE, KEY>VALUE, KEY<VALUE or KEY==VALUE. \throws UsageError for anything else.
AccuracyGate parse_gate(const std::string& text);

struct GateResult {
    bool passed = false;
    double measured = 0;
};

/// \throws UsageError if the report has no number of that name, with the nearest name there is.
GateResult check_gate(const AccuracyGate& gate, const Json& report);

/// Checks all gates. Each that does not hold is one sentence on standard error and sets `code` to gate_failed.
/// \return a list of {"require", "measured", "passed"}.
Json check_gates(const std::vector<AccuracyGate>& gates, const Json& report, ExitCode& code);

}  // namespace fovea
