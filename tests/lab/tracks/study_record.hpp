#pragma once

#include <string>

#include "lib/bench/report/bench_record.hpp"
#include "tests/lab/tracks/track_study.hpp"

namespace fovea::report {

/// "study": how well faces were followed, a row a setting. "drift": faces by the frames since their
/// detection, live. Plots: the error against K, by speed and by clip, and the drift.
BenchRecord study_record(const StudyPlan& plan, const TrackStudy& study, const std::string& machine);

/// The plans of the clips and the detector's convention of boxes: what bench.json has before the numbers.
Json study_head(const StudyPlan& plan, const TrackStudy& study);

}  // namespace fovea::report
