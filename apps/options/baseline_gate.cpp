#include "apps/options/baseline_gate.hpp"

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include "apps/options/junit.hpp"
#include "apps/terminal/console.hpp"
#include "lib/json/json.hpp"
#include "lib/report/stored/compare.hpp"
#include "lib/report/stored/report_numbers.hpp"

namespace fovea {

std::vector<int> BaselineFlags::points() const {
    std::vector<int> points;
    for (const std::string& metric : metrics) {
        if (const std::optional<int> point = false_positives_named(metric)) points.push_back(*point);
    }
    return points;
}

void add_baseline_flags(CLI::App& app, BaselineFlags& flags) {
    app.add_option("--no-worse-than", flags.baseline,
                   "An earlier report; exit code 4 if a headline number is worse than there")
        ->type_name("FILE")
        ->group("Accuracy gate");
    app.add_option("--tolerance", flags.tolerance,
                   fmt::format("Allowed loss for --no-worse-than (default {})", RegressionGate{}.tolerance))
        ->type_name("T")
        ->group("Accuracy gate");
    app.add_flag("--significant", flags.significant,
                 "Fail only where the 95 % interval of the difference excludes 0, too")
        ->group("Accuracy gate");
    app.add_option("--metric", flags.metrics,
                   "Judge this number only, e.g. ap, recall@16fp or wild.ap; may be repeated")
        ->type_name("KEY")
        ->group("Accuracy gate");
    app.add_option("--junit", flags.junit,
                   "Write the verdicts of all gates as JUnit's XML, which CI systems show as tests")
        ->type_name("FILE")
        ->group("Accuracy gate");
}

void check_baseline_flags(const BaselineFlags& flags) {
    check_junit_file(flags.junit);
    if (!flags.baseline && flags.any()) {
        throw UsageError("--tolerance, --significant and --metric belong to --no-worse-than");
    }
    if (flags.tolerance && !(*flags.tolerance >= 0)) throw UsageError("--tolerance takes a number from 0 on");
    if (flags.baseline) read_report(*flags.baseline, true);
}

Json check_regressions(const StoredReport& first, const StoredReport& second, const CompareRequest& request,
                       const RegressionGate& gate, ExitCode& code, const Comparison* done) {
    const JudgedReports judged = judge_reports(first, second, request, gate, done);
    const std::string failure = failure_sentence(judged.numbers, gate, request.first, request.second);
    if (!failure.empty()) code = ExitCode::gate_failed;
    if (!judged.paired) {
        for (const std::string& method : judged.methods)
            spdlog::info("--no-worse-than: {} A is {}, and B is {}.", method, request.first, request.second);
    }
    print_verdict(failure.empty(),
                  failure.empty() ? success_sentence(judged.numbers, gate, request.first) : failure);
    Json outcome{{"baseline", request.first},
                 {"tolerance", gate.tolerance},
                 {"significant_only", gate.significant_only},
                 {"paired", judged.paired},
                 {"method", judged.methods},
                 {"numbers", Json::array()},
                 {"passed", failure.empty()}};
    for (const GatedNumber& entry : judged.numbers) {
        Json& number = outcome["numbers"].emplace_back();
        number = {{"key", entry.number.key},
                  {"baseline", *entry.number.first},
                  {"measured", *entry.number.second},
                  {"worse_by", *entry.number.worse_by()},
                  {"passed", entry.passed}};
        if (entry.number.ci95) {
            number["difference_ci95"] = *entry.number.ci95;
            number["paired"] = entry.number.paired;
        }
    }
    return outcome;
}

Json check_baseline(const BaselineFlags& flags, const Json& report, const std::string& section,
                    const std::string& record, ExitCode& code) {
    // A report may hold detections and landmarks.
    const auto section_of = [&](const Json& json) {
        Json kept{{section, json[section]}};
        for (const ReportSection& known : report_sections) {
            if (known.name == section && json.contains(known.rivals)) kept[known.rivals] = json[known.rivals];
        }
        return kept;
    };
    StoredReport baseline = read_report(*flags.baseline, true);
    if (!baseline.json.contains(section)) {
        throw UsageError("--no-worse-than: " + *flags.baseline + " is no report of " +
                         (section == "landmarks" || section == "tracks" ? section : "a " + section));
    }
    baseline.json = section_of(baseline.json);
    if (section != "detection") baseline.record.reset();
    CompareRequest request;
    request.first = *flags.baseline;
    request.second = "this evaluation";
    request.false_positive_points = flags.points();
    return check_regressions(baseline, report_in_memory(section_of(report), section, record), request,
                             flags.gate(), code);
}

}  // namespace fovea
