#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lib/json/json_fwd.hpp"
#include "lib/report/model/report.hpp"

namespace fovea::report {

/// The verdict of an accuracy gate on one number.
struct Verdict {
    /// "require", "no-worse-than baseline/report.json"
    std::string judged_by;
    /// The demand or the number's key.
    std::string name;
    bool passed = false;
    /// The measured number, in a sentence.
    std::string measured;
};

/// Judges the numbers of report.json.
using Judge = std::function<std::vector<Verdict>(const Json& report)>;

/// Adds verdicts to a report as "verdicts", if there are some.
void add_verdicts(const std::vector<Verdict>& verdicts, Json& report);

/// Lets the judge judge a report, and adds the verdicts to it. None without a judge.
std::vector<Verdict> judge_report(const Judge& judge, Json& report);

/// A section that says of every demand whether it holds; empty without any.
Section verdict_section(const std::vector<Verdict>& verdicts);

}  // namespace fovea::report
