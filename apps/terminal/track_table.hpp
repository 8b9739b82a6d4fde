#pragma once

#include <string>
#include <vector>

#include "lib/evaluate/tracks/tracks.hpp"

namespace fovea {

/// A row for every video, then one for all with intervals below it: HOTA, DetA, AssA, MOTA, IDF1, switches
/// and so on. Several trackers stand one after the other, with the differences from the first.
std::string track_table(const std::vector<TrackEvaluation>& evaluations);

}  // namespace fovea
