#include "lib/process/process.hpp"

#include <array>
#include <new>
#include <string>

#include <catch2/catch.hpp>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace fovea;

namespace {

struct Ending {
    int status = 0;
    std::string error;
};

// The end of a prepared child process from whose noexcept function `act` throws.
Ending ending_of(void (*act)()) {
    std::array<int, 2> pipe{};
    REQUIRE(::pipe(pipe.data()) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(pipe[1], STDERR_FILENO);
        ::signal(SIGABRT, SIG_DFL);  // Catch2 handles it
        prepare_process();
        [&]() noexcept { act(); }();
        ::_exit(99);
    }
    ::close(pipe[1]);
    Ending ending;
    std::array<char, 256> buffer{};
    for (ssize_t got = 0; (got = ::read(pipe[0], buffer.data(), buffer.size())) > 0;)
        ending.error.append(buffer.data(), static_cast<std::size_t>(got));
    ::close(pipe[0]);
    REQUIRE(::waitpid(child, &ending.status, 0) == child);
    return ending;
}

}  // namespace

TEST_CASE("a lack of memory that nothing can catch ends the process with a message", "[core]") {
    const Ending ending = ending_of([] { throw std::bad_alloc(); });
    REQUIRE(WIFEXITED(ending.status));
    CHECK(WEXITSTATUS(ending.status) == 1);
    CHECK(ending.error ==
          "fovea: error: there is not enough memory; lower --threads, or end other programs\n");
}

TEST_CASE("other exceptions that nothing can catch end the process as defects do", "[core]") {
    const Ending ending = ending_of([] { throw 1; });
    REQUIRE(WIFSIGNALED(ending.status));
    CHECK(WTERMSIG(ending.status) == SIGABRT);
}
