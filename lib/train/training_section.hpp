#pragma once

#include "lib/json/json_fwd.hpp"
#include "lib/report/model/report.hpp"

namespace fovea::report {

/// What a model was trained on and how, at the end of a training's report.
Section training_section(const Json& data, const Json& settings);

}  // namespace fovea::report
