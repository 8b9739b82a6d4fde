#pragma once

#include <vector>

#include "lib/job/journal/feature_file.hpp"
#include "lib/job/merge/merge_shards.hpp"
#include "lib/job/shard_part.hpp"
#include "lib/results/results.hpp"

namespace fovea {

/// Writes the lines of one or more parts, and their features, in the order of their positions, and counts
/// them in `outcome`. Neither file is closed. \param features null: none are merged. \return false if it
/// was cancelled.
/// \throws Error if positions overlap or leave holes, or a part is not as its manifest says; what the
/// outputs throw.
bool interleave_parts(const std::vector<ShardPart>& parts, ResultsWriter& results, FeatureFile* features,
                      const JobHooks& hooks, MergeResult& outcome);

}  // namespace fovea
