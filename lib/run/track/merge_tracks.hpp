#pragma once

#include "lib/job/merge/merge_shards.hpp"

namespace fovea {

/// Merges the folders of all shards of a job that follows faces to the bytes that one run over all sequences
/// gives, and writes their manifest. Parts are compared with their manifests and with one another, and every
/// sequence must be in exactly one of them. Files take their places when all are complete.
/// \param request parts and `out` are folders; features are none.
/// \throws UsageError if a part is not there, an output is one of the inputs, or an output exists that may
/// not be replaced; Error if parts do not belong together, are incomplete or damaged, or the disk is full.
MergeResult merge_tracks(const MergeRequest& request, const JobHooks& hooks = {});

}  // namespace fovea
