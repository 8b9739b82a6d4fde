#include "apps/options/gate_keeper.hpp"

#include <utility>

#include "apps/options/junit.hpp"

namespace fovea {

GateKeeper::GateKeeper(std::vector<AccuracyGate> gates, BaselineFlags flags, std::string section,
                       std::vector<int> points)
    : gates_(std::move(gates)),
      flags_(std::move(flags)),
      section_(std::move(section)),
      points_(std::move(points)) {}

void GateKeeper::judge_once(const Json& numbers) {
    if (std::exchange(has_judged_, true)) return;
    if (!gates_.empty()) outcome_["requirements"] = check_gates(gates_, numbers, code_);
    if (flags_.baseline)
        outcome_["no_worse_than"] = check_baseline(flags_, numbers, section_, points_, code_);
}

report::Judge GateKeeper::judge() {
    if (gates_.empty() && !flags_.baseline) return {};
    return [this](const Json& report) {
        judge_once(report);
        return verdicts_of(outcome_);
    };
}

void GateKeeper::finish(const Json& numbers, Json& outcome, ExitCode& code) {
    judge_once(numbers);
    outcome.update(outcome_);
    if (code_ != ExitCode::done) code = code_;
}

}  // namespace fovea
