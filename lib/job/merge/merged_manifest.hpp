#pragma once

#include <vector>

#include "lib/job/merge/merge_shards.hpp"
#include "lib/job/shard_part.hpp"
#include "lib/json/json_fwd.hpp"

namespace fovea {

/// The manifest of merged results: what is the same in all parts from the first of
/// them, "work" and "dataset" of the whole list, as one run over it has them (so that 'detect --resume' finds
/// equal work), sums of their counts, and of every part its file, SHA-256, shard and timings.
/// \param results, features where these lie now, before they take the places that the request names.
/// \throws Error if one cannot be read.
Json merged_manifest(const std::vector<ShardPart>& parts, const MergeResult& outcome,
                     const MergeRequest& request, const std::filesystem::path& results,
                     const std::filesystem::path& features);

/// The manifest's list of inputs that were no images; an empty one if it has none.
Json unread_inputs(const ShardPart& part);

}  // namespace fovea
