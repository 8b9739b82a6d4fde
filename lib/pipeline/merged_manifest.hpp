#pragma once

#include <vector>

#include "lib/core/json.hpp"
#include "lib/pipeline/merge_shards.hpp"
#include "lib/pipeline/shard_part.hpp"

namespace fovea {

/// The manifest of merged results, which lie in their places: what is the same in all parts from the first of them, sums of
/// their counts, and of every part its file, SHA-256, shard and timings. \throws Error if an output cannot be read.
Json merged_manifest(const std::vector<ShardPart>& parts, const MergeOutcome& outcome,
                     const MergeRequest& request);

/// The manifest's list of inputs that were no images; an empty one if it has none.
Json skipped_inputs(const ShardPart& part);

}  // namespace fovea
