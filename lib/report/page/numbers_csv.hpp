#pragma once

#include <string>

#include "lib/json/json_fwd.hpp"

namespace fovea::report {

/// numbers.csv: every number in long form, one row a number: KIND,metric,value,ci95_low,ci95_high,definition;
/// the last three are empty where there is none. A metric is the path of the number in its evaluation, joined
/// by '.': "coco.ap_50", "videos.NAME.hota"; an undefined number has no row. Points of curves, bins, folds
/// and images are left out. Numbers are the shortest text that reads back to the same double.
/// \param report as report.json; if there are several evaluations, its list KIND + "s" holds them.
/// \param kind of what is evaluated, the heading of the first column: "detector".
/// \param section of the report, and of each member of the list, that holds the numbers: "detection".
/// \param name of the only evaluation, if there is no list.
std::string numbers_csv(const Json& report, const std::string& kind, const std::string& section,
                        const std::string& name);

}  // namespace fovea::report
