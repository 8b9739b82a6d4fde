#pragma once

#include <string>

#include "lib/bench/report/bench_record.hpp"
#include "tests/lab/boxes/box_jitter.hpp"

namespace fovea::report {

/// "shifts" and "scales": the errors in boxes moved and resized, a row a level, with their intervals, and a
/// plot of each on one scale of errors. \param machine as machine_of()
BenchRecord box_record(const BoxSensitivity& sensitivity, const std::string& machine);

}  // namespace fovea::report
