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

/// Reads "I/N" with 1 <= I <= N, or "auto" or "auto/N", which take the numbers from the environment variables
/// of Slurm job arrays and tasks, Open MPI, and Kubernetes indexed jobs (which do not tell N).
/// \throws UsageError saying what is expected and, for "auto", which variables were looked for.
Shard parse_shard(const std::string& text);

/// The shard, from 1, that an image belongs to. It depends on the SHA-256 of the name alone, so it is equal
/// on every machine, whatever other images there are.
int shard_of(std::string_view name, int count);

/// The shard, from 1, that a frame of a video belongs to, by the video's name and the number of the frame's
/// part. The parts of a video go round the shards: all share a long video, and no part is decoded twice.
int shard_of_frame(std::string_view video, std::size_t part, int count);

/// Replaces {shard} by the index, with leading zeros up to the width of the count, and {shards} by the count.
std::string with_shard(const std::string& path, const Shard& shard);

}  // namespace fovea
