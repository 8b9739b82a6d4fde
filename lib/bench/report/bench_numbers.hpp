#pragma once

#include <string>

#include "lib/bench/benchmark.hpp"
#include "lib/json/json_fwd.hpp"

namespace fovea::report {

/// "CUDA × 2, batch of 32"; without the batch for images one by one.
std::string measurement_name(const Measurement& measurement);

double rounded(double value, int digits_after_point);

/// median_ms, min_ms, quartile_1_ms, quartile_3_ms, to a tenth of a microsecond; null without times.
Json times_json(const std::vector<double>& times_ms);

/// The benchmark's numbers: sizes (with rejections), measurements, optimisations, differences.
///
/// Every part that was measured is under "parts", by its key; milliseconds are of one image.
/// frames_per_second, windows_per_second (all places on the grids), visited_windows_per_second (with
/// rejections only), megapixels_per_second and speedup (over the CPU with the fewest threads) follow from the
/// median total; frames_per_second_resident and frames_per_second_from_pinned_memory from those medians, on
/// GPUs.
Json benchmark_to_json(const DetectionBenchmark& benchmark);

/// One row a measured part: size,width,height,backend,kind,threads,gpus,batch,part,repetitions,median_ms,
/// min_ms,quartile_1_ms,quartile_3_ms,frames_per_second,speedup. Milliseconds are of one image; the last two
/// are empty for all parts but the total. Optimisations turned off have the backend's name with
/// " without NAME".
std::string benchmark_csv(const DetectionBenchmark& benchmark);

}  // namespace fovea::report
