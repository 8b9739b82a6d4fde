#include "lib/core/host_limits.hpp"

#include <map>
#include <string>

#include <catch2/catch.hpp>

#include "tests/support/temp_dir.hpp"

using namespace fovea;

namespace {

struct Host {
    HostLimits limits() const {
        return read_host_limits(folder.path(), [&](const char* name) -> const char* {
            const auto found = variables.find(name);
            return found == variables.end() ? nullptr : found->second.c_str();
        });
    }

    test::TempDir folder;
    std::map<std::string, std::string> variables;
};

}  // namespace

TEST_CASE("limits of cgroup v2: the smallest of a group and those above it", "[core][host-limits]") {
    const Host host;
    host.folder.write("proc/self/cgroup", "0::/jobs/one\n");
    CHECK_FALSE(host.limits().cores);
    CHECK_FALSE(host.limits().memory);
    host.folder.write("sys/fs/cgroup/jobs/one/cpu.max", "max 100000\n");
    host.folder.write("sys/fs/cgroup/jobs/one/memory.max", "3000000000\n");
    CHECK_FALSE(host.limits().cores);
    CHECK(host.limits().memory == 3000000000U);
    // Two and a half cores of the group above: three threads.
    host.folder.write("sys/fs/cgroup/jobs/cpu.max", "250000 100000\n");
    host.folder.write("sys/fs/cgroup/jobs/memory.max", "max\n");
    CHECK(host.limits().cores == 3);
    host.folder.write("sys/fs/cgroup/memory.max", "1000\n");
    CHECK(host.limits().memory == 1000U);
    host.folder.write("sys/fs/cgroup/jobs/one/cpu.max", "20000 100000\n");
    CHECK(host.limits().cores == 1);
    host.folder.write("sys/fs/cgroup/jobs/one/cpu.max", "broken\n");
    CHECK(host.limits().cores == 3);
}

TEST_CASE("limits of cgroup v1, also where a container sees its own group uppermost", "[core][host-limits]") {
    const Host host;
    host.folder.write("proc/self/cgroup",
                      "9:name=systemd:/\n4:memory:/docker/abc\n2:cpu,cpuacct:/docker/abc\nnonsense\n");
    host.folder.write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "400000\n");
    host.folder.write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    host.folder.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    CHECK(host.limits().cores == 4);
    CHECK_FALSE(host.limits().memory);
    host.folder.write("sys/fs/cgroup/cpu/docker/abc/cpu.cfs_quota_us", "-1\n");
    host.folder.write("sys/fs/cgroup/cpu/docker/abc/cpu.cfs_period_us", "100000\n");
    host.folder.write("sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "2000000\n");
    CHECK(host.limits().cores == 4);
    CHECK(host.limits().memory == 2000000U);
}

TEST_CASE("limits that Slurm sets", "[core][host-limits]") {
    Host host;
    host.variables = {{"SLURM_CPUS_PER_TASK", "4"}, {"SLURM_MEM_PER_CPU", "512"}};
    CHECK(host.limits().cores == 4);
    CHECK(host.limits().memory == std::size_t{2048} << 20);
    host.variables["SLURM_MEM_PER_NODE"] = "1000";
    CHECK(host.limits().memory == std::size_t{1000} << 20);
    // 0 is all of the node's memory; what is no number says nothing.
    host.variables = {{"SLURM_CPUS_PER_TASK", "many"}, {"SLURM_MEM_PER_NODE", "0"}};
    CHECK_FALSE(host.limits().cores);
    CHECK_FALSE(host.limits().memory);
}
