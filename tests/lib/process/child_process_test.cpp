#include "lib/process/child_process.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"

namespace fovea {
namespace {

using namespace std::chrono_literals;
using Catch::Matchers::Contains;

std::vector<std::string> shell(const std::string& line) {
    return {"sh", "-c", line};
}

}  // namespace

TEST_CASE("a child's exit code and words are kept", "[child]") {
    const ChildResult outcome = ChildProcess(shell("echo out; echo words >&2; exit 3")).wait();
    CHECK(outcome.exit_code == 3);
    CHECK(outcome.error_text == "words\n");
    CHECK(outcome.seconds > 0);
}

TEST_CASE("a child is waited for no longer than asked, and killed", "[child]") {
    ChildProcess child(shell("echo begun >&2; exec sleep 60"));
    CHECK_FALSE(child.wait_for(50ms).has_value());
    child.send_signal(SIGKILL);
    CHECK(child.wait().exit_code == 128 + SIGKILL);
    CHECK_THROWS_WITH(child.wait(), Contains("has ended"));

    const std::atomic<bool> cancel{true};
    CHECK(ChildProcess({"sleep", "60"}).wait(&cancel).exit_code == 128 + SIGKILL);
}

TEST_CASE("a child's memory is its own, not its parent's", "[child]") {
    // 64 MiB of this process must not be taken for the child's.
    const std::vector<char> here(std::size_t{64} << 20, 'x');
    CHECK(peak_memory_of("self") > here.size());
    const ChildResult little = ChildProcess({"sleep", "0.1"}).wait();
    CHECK(little.peak_memory_bytes > 100'000);
    CHECK(little.peak_memory_bytes < std::uint64_t{32} << 20);
    // A child has this process's memory until it has become another program.
    std::uint64_t most = 0;
    for (int i = 0; i < 300; ++i) most = std::max(most, ChildProcess({"true"}).wait().peak_memory_bytes);
    CHECK(most < std::uint64_t{32} << 20);
    // The child of a shell that holds 100 MB of text.
    const ChildResult much =
        ChildProcess(shell("x=$(head -c 100000000 /dev/zero | tr '\\0' x); sleep 0.1")).wait();
    CHECK(much.peak_memory_bytes > std::uint64_t{90} << 20);
    CHECK(peak_memory_of("none") == 0);
}

TEST_CASE("a program that is not there is an error", "[child]") {
    CHECK_THROWS_WITH(ChildProcess({"/no/such/program"}), Contains("cannot start /no/such/program"));
}

}  // namespace fovea
