#include "lib/inputs/shard.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/files/sha256.hpp"

namespace fovea {
namespace {

/// The places of numbers in file names.
constexpr std::string_view shard_key = "{shard}", shards_key = "{shards}", index_key = "{index}";
constexpr std::int64_t max_shards = 1'000'000;

/// The variables by which a system numbers the parts of a job. Those that are null are not there.
struct Numbering {
    const char* system;
    const char* index;
    const char* count = nullptr;  ///< of the indices
    const char *first = nullptr, *last = nullptr, *step = nullptr;
    int base = 0;  ///< the index of the first part
};

/// Tasks of a job, each of which can be sent again with its index.
constexpr Numbering arrays[] = {
    {"Slurm job arrays", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN",
     "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_STEP"},
    {"Kubernetes indexed jobs", "JOB_COMPLETION_INDEX"},
    {"AWS Batch", "AWS_BATCH_JOB_ARRAY_INDEX", "AWS_BATCH_JOB_ARRAY_SIZE"},
    {"Google Batch", "BATCH_TASK_INDEX", "BATCH_TASK_COUNT"},
    {"Cloud Run", "CLOUD_RUN_TASK_INDEX", "CLOUD_RUN_TASK_COUNT"},
    {"Grid Engine", "SGE_TASK_ID", nullptr, "SGE_TASK_FIRST", "SGE_TASK_LAST", "SGE_TASK_STEPSIZE", 1},
    {"LSF", "LSB_JOBINDEX", nullptr, nullptr, "LSB_JOBINDEX_END", "LSB_JOBINDEX_STEP", 1},
    {"PBS", "PBS_ARRAY_INDEX"},
    {"Torque", "PBS_ARRAYID"},
    {"Flux", "FLUX_JOB_CC"},
    {"GNU parallel", "PARALLEL_SEQ", nullptr, nullptr, nullptr, nullptr, 1},
};
/// Processes of a task. Slurm's numbers are those of MPI's helpers if MPI starts the program.
constexpr Numbering processes[] = {
    {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"other MPI", "PMI_RANK", "PMI_SIZE"},
    {"Flux tasks", "FLUX_TASK_RANK", "FLUX_JOB_SIZE"},
    {"Slurm tasks", "SLURM_PROCID", "SLURM_NTASKS"},
};

std::optional<std::int64_t> whole_number(std::string_view text) {
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
    return value;
}

[[noreturn]] void fail_auto(const std::string& what) {
    throw UsageError("--shard auto: " + what);
}

/// An environment variable that is a whole number; nothing if it is not set or empty.
std::optional<std::int64_t> variable(const char* name) {
    const char* const text = std::getenv(name);
    if (text == nullptr || *text == '\0') return std::nullopt;
    const auto value = whole_number(text);
    if (!value || *value < 0) {
        fail_auto("the environment variable " + std::string(name) + " is '" + excerpt(text) +
                  "', where a whole number is expected; write the part as I/N");
    }
    return value;
}

/// An index as some variables have it.
struct FoundIndex {
    std::string where;       ///< "PMI_RANK=3, PMI_SIZE=8"
    std::int64_t index = 0;  ///< from 0
    std::optional<std::int64_t> count;
};

/// The numbers of an array's task as they are.
struct ArrayTask {
    const Numbering& numbering;
    std::int64_t index = 0;
    std::optional<std::int64_t> count, first, last, step;
    std::string where;  ///< "SGE_TASK_ID=3, SGE_TASK_LAST=8"

    ArrayTask(const Numbering& of, std::int64_t own) : numbering(of), index(own) {
        where = std::string(of.index) + "=" + std::to_string(own);
        const auto read = [&](const char* name) -> std::optional<std::int64_t> {
            const auto value = name == nullptr ? std::nullopt : variable(name);
            if (value) where += std::string(", ") + name + "=" + std::to_string(*value);
            return value;
        };
        first = read(of.first);
        last = read(of.last);
        step = read(of.step);
        count = read(of.count);
    }

    /// How to send a part again, where the array's own range does not say which parts there are.
    std::string advice() const {
        return "write auto/N with the N of all parts if the first array began at " +
               std::to_string(numbering.base) + ", or the part as I/N";
    }

    /// \param all parts of the job
    FoundIndex of_all(std::int64_t all) const {
        // Such an array counts from 1, and a part that is sent again would be another one.
        if (numbering.base == 0 && first == 1 && last == all)
            fail_auto("auto/" + std::to_string(all) +
                      " counts the indices of an array from 0, but this one is " + "numbered from 1 (" +
                      where + "); submit 0-" + std::to_string(all - 1) + ", or write the part as I/N");
        return {where, index - numbering.base, std::nullopt};
    }

    FoundIndex of_whole_array() const {
        const std::int64_t begin = first.value_or(numbering.base);
        if (!last) return {where, index - begin, count};
        const bool is_whole = begin <= 1 && step.value_or(1) == 1 && begin <= index && index <= *last &&
                              (!count || *count == *last - begin + 1);
        if (!is_whole)
            fail_auto("this array does not begin at 0 or 1, or has gaps (" + where +
                      "), so that nothing says which parts there are; " + advice());
        return {where, index - begin, *last - begin + 1};
    }
};

std::optional<ArrayTask> array_task() {
    std::optional<ArrayTask> found;
    for (const Numbering& numbering : arrays) {
        const char* const text = std::getenv(numbering.index);
        // Grid Engine's tasks that are in no array.
        if (text != nullptr && std::string_view(text) == "undefined") continue;
        const auto index = variable(numbering.index);
        // LSF's jobs that are no array have the index 0.
        if (!index || *index < numbering.base) continue;
        if (found)
            fail_auto("two numberings of the parts were found (" + found->where + "; " + numbering.index +
                      "=" + std::to_string(*index) + "); write the part as I/N");
        found.emplace(numbering, *index);
    }
    return found;
}

/// This process's number in its task. Without their count it says nothing: Slurm gives 0 to every script.
std::optional<FoundIndex> process_of_task() {
    for (const Numbering& numbering : processes) {
        const auto index = variable(numbering.index), count = variable(numbering.count);
        if (!index || !count) continue;
        return FoundIndex{std::string(numbering.index) + "=" + std::to_string(*index) + ", " +
                              numbering.count + "=" + std::to_string(*count),
                          *index, count};
    }
    return std::nullopt;
}

std::string all_variables() {
    std::string names;
    for (const auto& list : {std::span<const Numbering>(arrays), std::span<const Numbering>(processes)}) {
        for (const Numbering& numbering : list)
            names +=
                (names.empty() ? "" : ", ") + std::string(numbering.index) + " (" + numbering.system + ")";
    }
    return names;
}

/// The part of a process of a task of an array. \param array, process one of them at least
FoundIndex combined(const std::optional<FoundIndex>& array, const std::optional<FoundIndex>& process) {
    if (!array) return *process;
    if (!process || (process->count == 1 && process->index == 0)) return *array;
    FoundIndex both{array->where + ", " + process->where, array->index * *process->count + process->index,
                    std::nullopt};
    if (process->index >= *process->count)
        fail_auto("there is no such process (" + process->where + "); write the part as I/N");
    if (array->count) both.count = *array->count * *process->count;
    return both;
}

Shard shard_from_environment(std::optional<std::int64_t> wanted) {
    const std::optional<ArrayTask> task = array_task();
    const std::optional<FoundIndex> process = process_of_task();
    if (!task && !process)
        fail_auto("none of the environment variables that say which part this is is set: " + all_variables() +
                  "; write the part as I/N");
    std::optional<FoundIndex> array;
    if (task) array = wanted ? task->of_all(*wanted) : task->of_whole_array();
    const FoundIndex found = combined(array, process);
    if (wanted && found.count && *found.count != *wanted)
        throw UsageError("--shard auto/" + std::to_string(*wanted) + " does not fit the environment (" +
                         found.where + ")");
    const auto count = wanted ? wanted : found.count;
    if (!count)
        fail_auto("the environment does not say how many parts there are (" + found.where +
                  "); write auto/N");
    if (*count < 1 || *count > max_shards || found.index >= *count)
        fail_auto("there is no such part of " + std::to_string(*count) + " (" + found.where +
                  "); indices count from " + std::to_string(task ? task->numbering.base : 0) + " there");
    return {static_cast<int>(found.index + 1), static_cast<int>(*count)};
}

/// The index, from 1, in a name that is the pattern with some number in each place; nothing if it is not.
std::optional<std::int64_t> index_in(std::string_view name, std::string_view pattern) {
    std::optional<std::int64_t> index;
    while (!pattern.empty()) {
        std::string_view key;
        for (const std::string_view known : {shard_key, shards_key, index_key}) {
            if (pattern.starts_with(known)) key = known;
        }
        if (key.empty()) {
            if (name.empty() || name.front() != pattern.front()) return std::nullopt;
            name.remove_prefix(1);
            pattern.remove_prefix(1);
            continue;
        }
        const std::size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
        const auto number = whole_number(name.substr(0, digits));
        if (!number) return std::nullopt;
        if (key != shards_key) index = *number + (key == index_key ? 1 : 0);
        name.remove_prefix(digits);
        pattern.remove_prefix(key.size());
    }
    return name.empty() ? index : std::nullopt;
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

std::string array_expression(const std::vector<ArrayRange>& ranges) {
    std::string text;
    for (const auto& [first, last] : ranges) {
        text += (text.empty() ? "" : ",") + std::to_string(first);
        if (last > first) text += (last == first + 1 ? "," : "-") + std::to_string(last);
    }
    return text;
}

std::vector<ArrayRange> ranges_of(const std::vector<int>& indices) {
    std::vector<ArrayRange> ranges;
    for (const int index : indices) {
        if (!ranges.empty() && ranges.back().last + 1 == index) {
            ranges.back().last = index;
        } else {
            ranges.push_back({index, index});
        }
    }
    return ranges;
}

std::string with_shard(const std::string& path, const Shard& shard) {
    const auto padded = [](int number, int most) {
        const std::string text = std::to_string(number);
        return std::string(std::to_string(most).size() - text.size(), '0') + text;
    };
    const std::pair<std::string_view, std::string> values[] = {
        {shard_key, padded(shard.index, shard.count)},
        {shards_key, std::to_string(shard.count)},
        {index_key, padded(shard.index - 1, shard.count - 1)}};
    std::string result;
    for (std::string_view rest = path; !rest.empty();) {
        const auto known = std::find_if(std::begin(values), std::end(values),
                                        [&](const auto& value) { return rest.starts_with(value.first); });
        if (known == std::end(values)) {
            result += rest.front();
            rest.remove_prefix(1);
        } else {
            result += known->second;
            rest.remove_prefix(known->first.size());
        }
    }
    return result;
}

std::optional<std::filesystem::path> part_of_other_division(const std::string& path, const Shard& shard) {
    std::filesystem::path folder;
    for (const std::filesystem::path& step : std::filesystem::path(path)) {
        const std::string pattern = step.string();
        if (pattern.find(shard_key) == std::string::npos && pattern.find(index_key) == std::string::npos) {
            folder /= with_shard(pattern, shard);
            continue;
        }
        const auto is_own = [&](const std::string& name, std::int64_t index) {
            return index >= 1 && index <= shard.count &&
                   name == with_shard(pattern, {static_cast<int>(index), shard.count});
        };
        std::error_code error;
        for (const auto& entry : std::filesystem::directory_iterator(folder.empty() ? "." : folder, error)) {
            const std::string name = entry.path().filename().string();
            const auto index = index_in(name, pattern);
            if (index && !is_own(name, *index)) return entry.path();
        }
        break;
    }
    return std::nullopt;
}

}  // namespace fovea
