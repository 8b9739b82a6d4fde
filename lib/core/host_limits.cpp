#include "lib/core/host_limits.hpp"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "lib/core/spelling.hpp"

namespace fovea {
namespace {

namespace fs = std::filesystem;

template <class T>
void lower(std::optional<T>& limit, double value) {
    if (!(value > 0) || value >= static_cast<double>(std::numeric_limits<T>::max())) return;
    const auto smaller = static_cast<T>(value);
    if (!limit || smaller < *limit) limit = smaller;
}

/// The numbers in a file of a control group; "max" is infinite. Empty if there is no such file.
std::vector<double> numbers_in(const fs::path& file) {
    std::ifstream stream(file);
    std::vector<double> numbers;
    for (std::string word; stream >> word;)
        numbers.push_back(word == "max" ? std::numeric_limits<double>::infinity()
                                        : spelled_number(word).value_or(-1));
    return numbers;
}

void lower_cores(HostLimits& limits, double quota, double period) {
    if (quota > 0 && period > 0) lower(limits.cores, std::ceil(quota / period));
}

void read_group(const fs::path& group, HostLimits& limits) {
    if (const auto cpu = numbers_in(group / "cpu.max"); cpu.size() == 2) lower_cores(limits, cpu[0], cpu[1]);
    const auto quota = numbers_in(group / "cpu.cfs_quota_us");
    const auto period = numbers_in(group / "cpu.cfs_period_us");
    if (quota.size() == 1 && period.size() == 1) lower_cores(limits, quota[0], period[0]);
    // Version 1 says 2^63 less a page where nothing is limited.
    for (const char* name : {"memory.max", "memory.limit_in_bytes"}) {
        const auto memory = numbers_in(group / name);
        if (memory.size() == 1 && memory[0] < 0x1p62) lower(limits.memory, memory[0]);
    }
}

/// Reads a group and those above it. A container may see its own group as the uppermost.
void read_groups(const fs::path& mounted, const std::string& group, HostLimits& limits) {
    fs::path at = (mounted / fs::path(group).relative_path()).lexically_normal();
    while (true) {
        read_group(at, limits);
        if (at == mounted || !at.has_relative_path()) break;
        at = at.parent_path();
    }
}

std::optional<double> number_of(const char* text) {
    return text == nullptr ? std::nullopt : spelled_number(text);
}

}  // namespace

HostLimits read_host_limits(const fs::path& root, const std::function<const char*(const char*)>& variable) {
    HostLimits limits;
    const fs::path mounted = root / "sys/fs/cgroup";
    std::ifstream groups(root / "proc/self/cgroup");
    // "0::/a/b", or of version 1 "4:cpu,cpuacct:/a/b"
    for (std::string line; std::getline(groups, line);) {
        const std::size_t first = line.find(':');
        const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string group = line.substr(second + 1);
        std::istringstream controllers(line.substr(first + 1, second - first - 1));
        if (first + 1 == second) read_groups(mounted, group, limits);
        for (std::string name; std::getline(controllers, name, ',');)
            if (name == "cpu" || name == "memory") read_groups(mounted / name, group, limits);
    }
    const std::optional<double> cores = number_of(variable("SLURM_CPUS_PER_TASK"));
    if (cores) lower(limits.cores, *cores);
    constexpr double megabyte = 0x1p20;
    if (const auto memory = number_of(variable("SLURM_MEM_PER_NODE")))
        lower(limits.memory, *memory * megabyte);
    if (const auto memory = number_of(variable("SLURM_MEM_PER_CPU")))
        lower(limits.memory, *memory * cores.value_or(1) * megabyte);
    return limits;
}

const HostLimits& host_limits() {
    static const HostLimits limits =
        read_host_limits("/", [](const char* name) { return std::getenv(name); });
    return limits;
}

}  // namespace fovea
