#include "lib/process/command_output.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>

#include <catch2/catch.hpp>

namespace fovea {
namespace {

std::string all_of(CommandOutput& output) {
    std::string text;
    std::array<char, 4096> block{};
    while (const std::size_t count = output.read(block.data(), block.size(), nullptr))
        text.append(block.data(), count);
    return text;
}

}  // namespace

TEST_CASE("the output of a command is read to its end", "[command-output]") {
    CommandOutput output("printf 'one\\n'; sleep 0.2; printf two");
    CHECK(all_of(output) == "one\ntwo");
    CHECK(output.failure(nullptr).empty());
    CommandOutput large("head -c 300000 /dev/zero");
    CHECK(all_of(large).size() == 300'000);
}

TEST_CASE("a command's failure is told in its last words", "[command-output]") {
    CommandOutput failing("echo first >&2; printf 'no such object\\n\\n' >&2; echo data; exit 7");
    CHECK(all_of(failing) == "data\n");
    CHECK(failing.failure(nullptr) == "ended with exit code 7: no such object");
    CommandOutput unknown("/no/such/program");
    CHECK(all_of(unknown).empty());
    CHECK(unknown.failure(nullptr).find("ended with exit code 127") == 0);
}

TEST_CASE("a command ends with its reader, and so does what it has started", "[command-output]") {
    pid_t started = 0;
    {
        CommandOutput output("sleep 60 & echo $!; wait");
        std::array<char, 32> text{};
        REQUIRE(output.read(text.data(), text.size() - 1, nullptr) > 0);
        started = std::stoi(text.data());
        REQUIRE(::kill(started, 0) == 0);
    }
    // Its new parent, which may be slow, has to ask for its end.
    bool is_gone = false;
    for (int i = 0; i < 100 && !is_gone; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        is_gone = ::kill(started, 0) != 0 ||
                  CommandOutput("grep -q 'State:.Z' /proc/" + std::to_string(started) + "/status")
                      .failure(nullptr)
                      .empty();
    }
    CHECK(is_gone);
}

TEST_CASE("a command that says nothing can be left", "[command-output]") {
    std::atomic<bool> stop = true;
    CommandOutput output("sleep 60");
    std::array<char, 32> text{};
    CHECK(output.read(text.data(), text.size(), &stop) == 0);
    CHECK(output.failure(&stop) == "was stopped");
}

}  // namespace fovea
