#pragma once

#include <string>
#include <vector>

#include "apps/options/accuracy_gate.hpp"
#include "apps/options/baseline_gate.hpp"
#include "lib/core/error.hpp"
#include "lib/json/json.hpp"
#include "lib/report/page/verdicts.hpp"

namespace fovea {

/// The gates of a command. They judge once: the report before it is written, so that it holds the verdict, or
/// the numbers alone where no report is.
class GateKeeper {
  public:
    /// \param section of report.json that a baseline is compared in \param points numbers of false positives
    /// that gates name
    GateKeeper(std::vector<AccuracyGate> gates, BaselineFlags flags, std::string section,
               std::vector<int> points = {});

    /// The judge that a report asks; it refers to this.
    report::Judge judge();
    bool has_judged() const { return has_judged_; }

    /// Judges numbers unless a report was judged. Adds "requirements" and "no_worse_than" to the outcome;
    /// `code` becomes gate_failed where a demand fails. \throws UsageError if a demand names no number
    void finish(const Json& numbers, Json& outcome, ExitCode& code);

  private:
    void judge_once(const Json& numbers);

    std::vector<AccuracyGate> gates_;
    BaselineFlags flags_;
    std::string section_;
    std::vector<int> points_;
    bool has_judged_ = false;
    ExitCode code_ = ExitCode::done;
    Json outcome_ = Json::object();
};

}  // namespace fovea
