#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "lib/core/job_hooks.hpp"
#include "lib/job/shard_part.hpp"
#include "lib/results/tally.hpp"

namespace fovea {

struct MergeRequest {
    std::vector<std::filesystem::path> parts;  ///< results of all shards of a job, in any order
    std::filesystem::path out;
    std::filesystem::path features;  ///< for the parts' features; empty = none are merged
    bool overwrite = false;          ///< outputs that are there already are replaced
};

/// Its unreadable images are in the order of the list.
struct MergeResult : ResultsTally {
    std::filesystem::path manifest;  ///< of the merged results
    std::size_t parts = 0;
    std::size_t skipped = 0;            ///< inputs that were no images
    std::size_t feature_rows = 0;       ///< that were merged
    bool interrupted = false;           ///< nothing was written then
    std::vector<std::string> warnings;  ///< what a user should know
};

/// Merges the results of all shards of a job, and their features, to the bytes that one run over all images
/// gives, and writes their manifest beside the results. Parts are compared with their manifests and with one
/// another (see read_shard_parts()), and every image of the list must be in exactly one of them.
///
/// Files are read by blocks, one after the other, and never all open at once: memory and open files stay
/// within bounds for any number of parts and any length. Outputs are written under names of their own
/// (".part" behind) and renamed once all of them are complete and on the disk.
///
/// \throws UsageError if a part is not there, an output is one of the inputs, or an output exists that may
/// not be replaced; Error if parts do not belong together, are incomplete or damaged, or the disk is full.
MergeResult merge_shards(const MergeRequest& request, const JobHooks& hooks = {});

/// Refuses an output that an interrupted job has left, or that exists and may not be replaced.
/// \param journal of such a job. \throws UsageError
void check_merged_output(const std::filesystem::path& output, const std::filesystem::path& journal,
                         bool overwrite);

/// Checks the bytes of all parts, and warns if they did not skip the same inputs. \return false if it was
/// cancelled. \throws what check_part_bytes throws
bool check_parts(const std::vector<ShardPart>& parts, bool with_features, const JobHooks& hooks,
                 MergeResult& outcome);

}  // namespace fovea
