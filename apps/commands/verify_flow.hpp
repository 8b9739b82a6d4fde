#pragma once

#include "apps/terminal/console.hpp"
#include "kernels/core/device.hpp"
#include "lib/config/config.hpp"
#include "lib/core/error.hpp"

namespace fovea {

/// Runs 'fovea verify --flow': see run_flow_verification(). \param config has the dataset and threads.
ExitCode verify_flow(const RunConfig& config, int every, const Device* gpu, Console& console);

}  // namespace fovea
