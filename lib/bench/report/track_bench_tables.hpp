#pragma once

#include <string>

#include "lib/bench/track/track_benchmark.hpp"
#include "lib/report/model/table.hpp"

namespace fovea::report {

// Tables of `fovea bench track`; there are no rows if nothing was measured.

/// Detection in every frame, and in every Kth one, live and late: found, IoU, NME, its ratio, tracks.
Table redetect_table(const TrackBenchmark& benchmark);
/// Likewise, a row for each kind of clip. \param part "condition" or "speed"
Table kinds_table(const TrackBenchmark& benchmark, const std::string& part);
/// Points, windows, levels and iterations of the flow.
Table flow_settings_table(const TrackBenchmark& benchmark);
/// IoU and NME by the frames since the detection, of the largest K.
Table drift_table(const TrackBenchmark& benchmark);
/// Milliseconds of a frame: mean, median, peaks, and the speed-up. The last rows are published figures.
Table frame_times_table(const TrackBenchmark& benchmark);
/// Frames a second of flow alone, beside OpenCV's, by points; windows, levels and iterations as the tracker
/// has them or the largest that were measured. The last row is a published figure.
Table flow_points_table(const TrackBenchmark& benchmark);
/// The same for all windows and levels, of one number of points.
Table flow_windows_table(const TrackBenchmark& benchmark);

/// The ratio of landmark errors for K = 10 to detection in every frame, the speed-up, and whether the flows
/// are equal: a line each.
std::string track_headlines(const TrackBenchmark& benchmark);

/// The setting of the flow whose times stand in flow_points_table().
const FlowTimes* usual_flow(const TrackBenchmark& benchmark, int points);

}  // namespace fovea::report
