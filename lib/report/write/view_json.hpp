#pragma once

#include <string>

#include "lib/json/json_fwd.hpp"
#include "lib/report/model/report.hpp"

namespace fovea::report {

/// A report as the page's viewer reads it; lib/report/viewer/README.md describes it.
Json view_json(const Report& report);

/// Bytes in Base64.
std::string base64(const std::string& bytes);

}  // namespace fovea::report
