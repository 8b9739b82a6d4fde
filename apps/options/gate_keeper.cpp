#include "apps/options/gate_keeper.hpp"

#include <utility>

#include "apps/options/junit.hpp"

namespace fovea {

GateKeeper::GateKeeper(std::vector<AccuracyGate> gates, BaselineFlags flags, std::string section)
    : gates_(std::move(gates)), flags_(std::move(flags)), section_(std::move(section)) {}

std::vector<report::Verdict> GateKeeper::judge(const Json& report, const RecordText& record) {
    if (!std::exchange(has_judged_, true)) {
        if (!gates_.empty()) outcome_["requirements"] = check_gates(gates_, report, code_);
        if (flags_.baseline)
            outcome_["no_worse_than"] = check_baseline(flags_, report, section_, record(), code_);
    }
    return verdicts_of(outcome_);
}

report::Judge GateKeeper::judge(RecordText record) {
    return [this, record = std::move(record)](const Json& report) { return judge(report, record); };
}

void GateKeeper::finish(const Json& numbers, const RecordText& record, Json& outcome, ExitCode& code) {
    judge(numbers, record);
    outcome.update(outcome_);
    if (code_ != ExitCode::done) code = code_;
}

}  // namespace fovea
