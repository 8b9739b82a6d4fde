#pragma once

#include "lib/json/json_fwd.hpp"
#include "lib/report/model/report.hpp"

namespace fovea::report {

/// The data and the settings of a training, for the end of its report.
Section training_section(const Json& data, const Json& settings);

}  // namespace fovea::report
