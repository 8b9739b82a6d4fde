#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
/// of job arrays (Slurm, Kubernetes, AWS and Google Batch, Cloud Run, Grid Engine, LSF, PBS, Flux, GNU
/// parallel) and of processes (MPI, Slurm, Flux).
///
/// - "auto/N" takes the task's index itself, from 0 (from 1 where the system counts so): parts keep their
///   numbers when they are sent again.
/// - "auto" takes an array from 0 or 1 without gaps as the whole job.
/// - Processes of an array's task have parts of their own: index · processes + rank.
///
/// \throws UsageError saying what is expected and, for "auto", which variables were looked for.
Shard parse_shard(const std::string& text);

/// The shard, from 1, that an image belongs to. It depends on the SHA-256 of the name alone, so it is equal
/// on every machine, whatever other images there are.
int shard_of(std::string_view name, int count);

/// The shard, from 1, that a frame of a video belongs to, by the video's name and the number of the frame's
/// part. The parts of a video go round the shards: all share a long video, and no part is decoded twice.
int shard_of_frame(std::string_view video, std::size_t part, int count);

/// Numbers that follow one another, the last one included.
struct ArrayRange {
    int first = 0;
    int last = 0;
};

/// Indices as the option of job arrays that sends them again: "3,17,40-52". \param ranges rising
std::string array_expression(const std::vector<ArrayRange>& ranges);

/// The ranges of rising numbers.
std::vector<ArrayRange> ranges_of(const std::vector<int>& indices);

/// Replaces {shard} by the index, {index} by the index from 0, both with leading zeros up to the width of the
/// highest, and {shards} by the count.
std::string with_shard(const std::string& path, const Shard& shard);

/// A file or folder that has the name of a part, but of no part of this division.
/// \param path with {shard} or {index}; nothing is found without.
std::optional<std::filesystem::path> part_of_other_division(const std::string& path, const Shard& shard);

}  // namespace fovea
