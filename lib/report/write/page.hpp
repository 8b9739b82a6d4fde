#pragma once

#include <string>

#include "lib/report/model/report.hpp"

namespace fovea::report {

/// The report as one HTML file that refers to nothing outside: the viewer with the report's data.
std::string page_of(const Report& report);

}  // namespace fovea::report
