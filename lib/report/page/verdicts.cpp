#include "lib/report/page/verdicts.hpp"

#include <algorithm>

#include "lib/core/text.hpp"
#include "lib/json/json.hpp"

namespace fovea::report {

void add_verdicts(const std::vector<Verdict>& verdicts, Json& report) {
    for (const Verdict& verdict : verdicts) {
        report["verdicts"].push_back({{"judged_by", verdict.judged_by},
                                      {"name", verdict.name},
                                      {"passed", verdict.passed},
                                      {"measured", verdict.measured}});
    }
}

std::vector<Verdict> judge_report(const Judge& judge, Json& report) {
    if (!judge) return {};
    std::vector<Verdict> verdicts = judge(report);
    add_verdicts(verdicts, report);
    return verdicts;
}

Section verdict_section(const std::vector<Verdict>& verdicts) {
    const auto failed = std::count_if(verdicts.begin(), verdicts.end(),
                                      [](const Verdict& verdict) { return !verdict.passed; });
    Section section{"verdicts", failed == 0
                                    ? "The accuracy gate held"
                                    : "The accuracy gate failed: " +
                                          counted(static_cast<std::size_t>(failed), "demand", "demands") +
                                          " of " + std::to_string(verdicts.size())};
    Table table{.columns = {words("Demand"), words("Verdict"), words("Measured"), words("Judged by")}};
    // Failures are read first.
    for (const bool passed : {false, true}) {
        for (const Verdict& verdict : verdicts) {
            if (verdict.passed == passed)
                table.rows.push_back(
                    {verdict.name, passed ? "holds" : "fails", verdict.measured, verdict.judged_by});
        }
    }
    section.add(std::move(table));
    return section;
}

}  // namespace fovea::report
