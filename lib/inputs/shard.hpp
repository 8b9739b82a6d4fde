#pragma once

#include <cstddef>
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

/// The same of a frame of a video: by the video's name and the part between two cuts that the frame is in.
/// The parts of a video go round the shards, so that a long one is shared by all, and no part is decoded
/// twice.
int shard_of_frame(std::string_view video, std::size_t part, int count);

/// Replaces {shard} and {shards} by numbers; {shard} has leading zeros up to the width of the count.
std::string with_shard(const std::string& path, const Shard& shard);

}  // namespace fovea
