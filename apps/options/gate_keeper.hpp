#pragma once

#include <functional>
#include <string>
#include <vector>

#include "apps/options/accuracy_gate.hpp"
#include "apps/options/baseline_gate.hpp"
#include "lib/core/error.hpp"
#include "lib/json/json.hpp"
#include "lib/report/page/verdicts.hpp"

namespace fovea {

/// The gates of a command. They judge once: the report before it is written, so that it holds the verdict, or
/// the numbers if there is no report.
class GateKeeper {
  public:
    /// Gives the text of the record beside a report (report_in_memory()); it is called if a baseline
    /// needs it.
    using RecordText = std::function<std::string()>;

    /// \param section the section of report.json that is compared with a baseline's.
    GateKeeper(std::vector<AccuracyGate> gates, BaselineFlags flags, std::string section);

    /// Judges a report. Call it once. \return the verdicts.
    std::vector<report::Verdict> judge(const Json& report, const RecordText& record);
    /// A report::Judge that calls judge() of this, which must outlive it.
    report::Judge judge(RecordText record);

    /// Judges numbers unless a report was judged. Adds "requirements" and "no_worse_than" to the outcome;
    /// `code` becomes gate_failed if a demand fails. \throws UsageError if a demand names no number.
    void finish(const Json& numbers, const RecordText& record, Json& outcome, ExitCode& code);

  private:
    std::vector<AccuracyGate> gates_;
    BaselineFlags flags_;
    std::string section_;
    bool has_judged_ = false;
    ExitCode code_ = ExitCode::done;
    Json outcome_ = Json::object();
};

}  // namespace fovea
