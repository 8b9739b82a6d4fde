#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fovea {

/// One of `count` parts of a job, numbered from 1.
struct Shard {
    int index = 1;
    int count = 1;

    friend bool operator==(const Shard&, const Shard&) = default;
};

/// "2/8".
std::string to_string(const Shard& shard);

/// Reads "I/N" with 1 <= I <= N, or "auto" or "auto/N": from the variables of Slurm job arrays and tasks,
/// Open MPI, and Kubernetes indexed jobs (which do not say N).
/// \throws UsageError saying what is expected, and for "auto" which variables were looked for.
Shard parse_shard(const std::string& text);

/// The shard that an image belongs to, by the SHA-256 of its name alone: equal on every machine, whatever
/// else is in the archive.
int shard_of(std::string_view name, int count);

/// Replaces {shard} and {shards} by numbers; {shard} has leading zeros up to the width of the count.
std::string with_shard(const std::string& path, const Shard& shard);

}  // namespace fovea
