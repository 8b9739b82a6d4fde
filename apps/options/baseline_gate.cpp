#include "apps/options/baseline_gate.hpp"

#include <CLI/CLI.hpp>

#include "apps/options/junit.hpp"
#include "apps/terminal/console.hpp"
#include "lib/json/json.hpp"
#include "lib/run/compare.hpp"
#include "lib/run/report_numbers.hpp"

namespace fovea {

void add_baseline_flags(CLI::App& app, BaselineFlags& flags) {
    app.add_option("--no-worse-than", flags.baseline,
                   "An earlier report; exit code 4 if a headline number is worse than there")
        ->type_name("FILE")
        ->group("Accuracy gate");
    app.add_option("--tolerance", flags.tolerance, "Allowed loss for --no-worse-than (default 0)")
        ->type_name("T")
        ->group("Accuracy gate");
    app.add_option("--metric", flags.metrics,
                   "Judge this number only, e.g. ap or recall@16fp; may be repeated")
        ->type_name("KEY")
        ->group("Accuracy gate");
    app.add_option("--junit", flags.junit,
                   "Write the verdicts of all gates as JUnit's XML, which CI systems show as tests")
        ->type_name("FILE")
        ->group("Accuracy gate");
}

void check_baseline_flags(const BaselineFlags& flags) {
    check_junit_file(flags.junit);
    if (!flags.baseline && (flags.tolerance || !flags.metrics.empty())) {
        throw UsageError("--tolerance and --metric belong to --no-worse-than");
    }
    if (flags.tolerance && !(*flags.tolerance >= 0)) throw UsageError("--tolerance takes a number from 0 on");
    if (flags.baseline) read_report(*flags.baseline, false);
}

void print_regressions(const std::vector<GatedNumber>& numbers, const RegressionGate& gate,
                       const std::string& a, const std::string& b, ExitCode& code) {
    const std::string failure = failure_sentence(numbers, gate, a, b);
    if (!failure.empty()) code = ExitCode::gate_failed;
    print_verdict(failure.empty(), failure.empty() ? success_sentence(numbers, gate, a) : failure);
}

Json check_baseline(const BaselineFlags& flags, const Json& report, const std::string& section,
                    const std::vector<int>& points, ExitCode& code) {
    StoredReport baseline = read_report(*flags.baseline, false);
    if (!baseline.json.contains(section)) {
        throw UsageError("--no-worse-than: " + *flags.baseline + " is no report of " +
                         (section == "landmarks" || section == "tracks" ? section : "a " + section));
    }
    const std::string differ = incomparable(baseline.json, report);
    if (!differ.empty()) {
        throw UsageError("--no-worse-than: " + *flags.baseline + " is not of the same task: " + differ +
                         "; make the baseline again");
    }
    // A report may hold detections and landmarks.
    Json earlier{{section, baseline.json[section]}}, measured{{section, report[section]}};
    add_rates_at(earlier, points);
    const RegressionGate gate{flags.tolerance.value_or(0), flags.metrics, false};
    Json outcome{{"baseline", *flags.baseline}, {"tolerance", gate.tolerance}, {"numbers", Json::array()}};
    const std::vector<GatedNumber> numbers = judge(compare_numbers(earlier, measured), gate);
    for (const GatedNumber& judged : numbers) {
        outcome["numbers"].push_back({{"key", judged.number.key},
                                      {"baseline", *judged.number.first},
                                      {"measured", *judged.number.second},
                                      {"worse_by", *judged.number.worse_by()},
                                      {"passed", judged.passed}});
    }
    print_regressions(numbers, gate, *flags.baseline, "this evaluation", code);
    return outcome;
}

}  // namespace fovea
