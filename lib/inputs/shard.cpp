#include "lib/inputs/shard.hpp"

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/files/sha256.hpp"

namespace fovea {
namespace {

constexpr std::int64_t max_shards = 1'000'000;

constexpr const char* variables =
    "SLURM_ARRAY_TASK_ID with _MIN and _MAX (Slurm job arrays), SLURM_PROCID with SLURM_NTASKS (Slurm "
    "tasks), OMPI_COMM_WORLD_RANK with OMPI_COMM_WORLD_SIZE (Open MPI), PMI_RANK with PMI_SIZE (other MPI), "
    "JOB_COMPLETION_INDEX (Kubernetes; write auto/N)";

std::optional<std::int64_t> whole_number(std::string_view text) {
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
    return value;
}

/// An environment variable that is a whole number; nothing if it is not set or empty.
std::optional<std::int64_t> variable(const char* name) {
    const char* const text = std::getenv(name);
    if (text == nullptr || *text == '\0') return std::nullopt;
    const auto value = whole_number(text);
    if (!value || *value < 0) {
        throw UsageError("--shard auto: the environment variable " + std::string(name) + " is '" +
                         excerpt(text) + "', where a whole number is expected; write the shard as I/N");
    }
    return value;
}

/// A shard as some variables have it.
struct FoundShard {
    std::string where;       ///< "PMI_RANK=3, PMI_SIZE=8"
    std::int64_t index = 0;  ///< from 0
    std::optional<std::int64_t> count;
};

std::string said(const char* name, std::optional<std::int64_t> value) {
    return std::string(name) + (value ? "=" + std::to_string(*value) : " is not set");
}

std::optional<FoundShard> rank_of(const char* rank, const char* size) {
    const auto index = variable(rank);
    if (!index) return std::nullopt;
    const auto count = variable(size);
    return FoundShard{said(rank, index) + ", " + said(size, count), *index, count};
}

std::optional<FoundShard> array_task() {
    const auto id = variable("SLURM_ARRAY_TASK_ID");
    if (!id) return std::nullopt;
    const auto first = variable("SLURM_ARRAY_TASK_MIN"), last = variable("SLURM_ARRAY_TASK_MAX");
    const auto step_given = variable("SLURM_ARRAY_TASK_STEP"), tasks = variable("SLURM_ARRAY_TASK_COUNT");
    FoundShard found;
    found.where = said("SLURM_ARRAY_TASK_ID", id) + ", " + said("SLURM_ARRAY_TASK_MIN", first) + ", " +
                  said("SLURM_ARRAY_TASK_MAX", last);
    if (step_given) found.where += ", " + said("SLURM_ARRAY_TASK_STEP", step_given);
    if (tasks) found.where += ", " + said("SLURM_ARRAY_TASK_COUNT", tasks);
    const std::int64_t step = step_given.value_or(1);
    const bool fits =
        first && last && step > 0 && *first <= *id && *id <= *last && (*id - *first) % step == 0;
    const std::int64_t count = fits ? (*last - *first) / step + 1 : 0;
    // An array such as 1,4,7,20 has gaps, and its tasks cannot tell which of them they are.
    if (!fits || (tasks && *tasks != count)) {
        throw UsageError("--shard auto: the tasks of the Slurm job array cannot be numbered (" + found.where +
                         "); give them as a range, or write the shard as I/N");
    }
    found.index = (*id - *first) / step;
    found.count = count;
    return found;
}

/// This process's number in its job. Slurm's numbers are those of MPI's helpers if MPI starts the program.
std::optional<FoundShard> process_of_job() {
    if (auto found = rank_of("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE")) return found;
    if (auto found = rank_of("PMI_RANK", "PMI_SIZE")) return found;
    return rank_of("SLURM_PROCID", "SLURM_NTASKS");
}

std::optional<FoundShard> index_of_job() {
    const auto index = variable("JOB_COMPLETION_INDEX");
    if (!index) return std::nullopt;
    return FoundShard{said("JOB_COMPLETION_INDEX", index), *index, std::nullopt};
}

Shard shard_from_environment(std::optional<std::int64_t> wanted) {
    std::optional<FoundShard> found;
    for (const auto& candidate : {array_task(), process_of_job(), index_of_job()}) {
        if (!candidate) continue;
        // A process alone, as each task of an array is, says nothing.
        if (!found || (found->count == 1 && found->index == 0)) {
            found = candidate;
        } else if (candidate->count != 1 || candidate->index != 0) {
            throw UsageError("--shard auto: two numberings of the parts were found (" + found->where + "; " +
                             candidate->where + "); write the shard as I/N");
        }
    }
    if (!found) {
        throw UsageError(
            std::string("--shard auto: none of the environment variables that say which part this is ") +
            "is set: " + variables + "; write the shard as I/N");
    }
    if (wanted && found->count && *found->count != *wanted) {
        throw UsageError("--shard auto/" + std::to_string(*wanted) + " does not fit the environment (" +
                         found->where + ")");
    }
    const auto count = wanted ? wanted : found->count;
    if (!count) {
        throw UsageError("--shard auto: the environment does not say how many parts there are (" +
                         found->where + "); write auto/N");
    }
    if (*count < 1 || *count > max_shards || found->index >= *count) {
        throw UsageError("--shard auto: there is no such part of " + std::to_string(*count) + " (" +
                         found->where + "); parts count from 0 there");
    }
    return {static_cast<int>(found->index + 1), static_cast<int>(*count)};
}

[[noreturn]] void fail(const std::string& text) {
    throw UsageError("--shard '" + excerpt(text) +
                     "' is neither I/N with I from 1 to N, such as 2/8, nor auto or auto/N (N up to " +
                     std::to_string(max_shards) + ")");
}

}  // namespace

std::string to_string(const Shard& shard) {
    return std::to_string(shard.index) + "/" + std::to_string(shard.count);
}

Shard parse_shard(const std::string& text) {
    if (text == "auto") return shard_from_environment(std::nullopt);
    const std::size_t slash = text.find('/');
    if (slash == std::string::npos) fail(text);
    const auto count = whole_number(std::string_view(text).substr(slash + 1));
    if (!count || *count < 1 || *count > max_shards) fail(text);
    if (text.substr(0, slash) == "auto") return shard_from_environment(count);
    const auto index = whole_number(std::string_view(text).substr(0, slash));
    if (!index || *index < 1 || *index > *count) fail(text);
    return {static_cast<int>(*index), static_cast<int>(*count)};
}

int shard_of(std::string_view name, int count) {
    const std::string digest = sha256_of(name);
    std::uint64_t number = 0;
    std::from_chars(digest.data(), digest.data() + 16, number, 16);
    return static_cast<int>(number % static_cast<std::uint64_t>(count)) + 1;
}

int shard_of_frame(std::string_view video, std::size_t part, int count) {
    const auto of_video = static_cast<std::size_t>(shard_of(video, count) - 1);
    return static_cast<int>((of_video + part) % static_cast<std::size_t>(count)) + 1;
}

std::string with_shard(const std::string& path, const Shard& shard) {
    const std::string count = std::to_string(shard.count);
    std::string index = std::to_string(shard.index);
    index.insert(0, count.size() - index.size(), '0');
    std::string result;
    for (std::string_view rest = path; !rest.empty();) {
        if (rest.starts_with("{shard}")) {
            result += index;
            rest.remove_prefix(7);
        } else if (rest.starts_with("{shards}")) {
            result += count;
            rest.remove_prefix(8);
        } else {
            result += rest.front();
            rest.remove_prefix(1);
        }
    }
    return result;
}

}  // namespace fovea
