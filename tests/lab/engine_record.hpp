#pragma once

#include <string>
#include <vector>

#include "lib/bench/report/bench_record.hpp"
#include "tests/lab/engine_study.hpp"

namespace fovea::report {

/// "rejections": the fate of the windows visited, a row a scale and size; bench_rejections plots that of the
/// largest size: the share of visited windows that each stage rejects, by scale (Oro et al. 2012, figure 7).
BenchRecord rejections_record(const std::vector<SizeRejections>& rejections);

/// "optimisations": times with and without each; bench_optimisations plots the factors of the largest size.
BenchRecord optimisations_record(const EngineStudy& study, const std::string& machine);

}  // namespace fovea::report
