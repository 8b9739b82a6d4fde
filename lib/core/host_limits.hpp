#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>

namespace fovea {

/// The cores and the memory that a process may use by its control group (cgroup v1 or v2, as containers and
/// clusters set it) and by Slurm.
struct HostLimits {
    std::optional<int> cores;           ///< at least 1; a share of a core counts as one
    std::optional<std::size_t> memory;  ///< bytes
};

/// Reads the limits: the smallest of the process's control groups and those above them, and of
/// SLURM_CPUS_PER_TASK, SLURM_MEM_PER_NODE and SLURM_MEM_PER_CPU. A file that cannot be read
/// limits nothing.
/// \param root the folder that holds proc and sys
/// \param variable an environment variable's value; null if it is not set
HostLimits read_host_limits(const std::filesystem::path& root,
                            const std::function<const char*(const char*)>& variable);

/// The limits of this process, read once.
const HostLimits& host_limits();

}  // namespace fovea
