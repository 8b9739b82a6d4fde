#pragma once

#include <vector>

#include "lib/job/merge/merge_shards.hpp"
#include "lib/json/json_fwd.hpp"

namespace fovea {

/// The manifest of merged results. It has what is equal in all parts, "work" and "dataset" of the whole list
/// as one run over it would have them (so that 'detect --resume' finds equal work), sums of the parts'
/// counts, and the file, SHA-256, shard and timings of every part.
/// \param results, features where these files lie now, before they take the places that the request names.
/// \throws Error if a file cannot be read.
Json merged_manifest(const std::vector<ShardPart>& parts, const MergeResult& outcome,
                     const MergeRequest& request, const std::filesystem::path& results,
                     const std::filesystem::path& features);

/// The file, SHA-256, shard, device and timings of every part. \param folder of the merged results.
Json parts_to_json(const std::vector<ShardPart>& parts, const std::filesystem::path& folder);

/// Makes what a part's manifest says of its own list true of the whole one. \param images of the whole list.
void set_whole(Json& manifest, std::size_t images);

/// The manifest's list of inputs that were no images; an empty one if it has none.
Json unread_inputs(const ShardPart& part);

}  // namespace fovea
