#include "lib/process/child_process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/core/error.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/process/pipe.hpp"
#include "lib/process/spawn.hpp"

namespace fovea {
namespace {

using Clock = std::chrono::steady_clock;

// How often the child's memory is looked at; soon enough for Ctrl-C as well.
constexpr std::chrono::duration<double> look_every = std::chrono::milliseconds(20);

constexpr std::uint64_t gained_bytes = std::uint64_t{16} << 20;

std::string all_of(int descriptor) {
    std::string text;
    std::array<char, 4096> block{};
    while (true) {
        const ssize_t n = ::pread(descriptor, block.data(), block.size(), static_cast<off_t>(text.size()));
        if (n <= 0) return text;
        text.append(block.data(), static_cast<std::size_t>(n));
    }
}

[[noreturn]] void fail(const std::string& doing) {
    throw Error("cannot " + doing + ": " + std::strerror(errno));
}

// Waits until a child that holds the writing end has become another program, which closes it.
void wait_for_exec(Pipe& pipe) {
    pipe.writing.reset();
    char none = 0;
    while (::read(pipe.reading.get(), &none, 1) < 0 && errno == EINTR) {
    }
}

}  // namespace

std::uint64_t peak_memory_of(const std::string& process) {
    std::ifstream status("/proc/" + process + "/status");
    std::uint64_t kibibytes = 0;
    for (std::string word; status >> word;) {
        if (word == "VmHWM:" && status >> kibibytes) return kibibytes << 10;
    }
    return 0;
}

ChildProcess::ChildProcess(const std::vector<std::string>& command, std::optional<int> output)
    : errors_(::memfd_create("standard error", MFD_CLOEXEC)), has_group_(output.has_value()) {
    if (!errors_) fail("keep what " + command.at(0) + " says");
    Pipe exec;
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (output) {
        ::posix_spawn_file_actions_adddup2(&actions, *output, STDOUT_FILENO);
    } else {
        ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    }
    ::posix_spawn_file_actions_adddup2(&actions, errors_.get(), STDERR_FILENO);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    if (has_group_) {
        ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
        ::posix_spawnattr_setpgroup(&attributes, 0);
    }
    std::vector<char*> arguments;
    for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    own_peak_bytes_ = peak_memory_of("self");
    start_ = Clock::now();
    const int failure = spawn_child(process_, arguments.data(), actions, &attributes, environ);
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
    if (failure != 0) {
        errno = failure;
        fail("start " + command[0]);
    }
    // posix_spawn() may return a moment before the child has memory of its own: until then, its peak is that
    // of this process.
    wait_for_exec(exec);
    // glibc 2.36 declares pidfd_open for C alone.
    handle_ = FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, process_, 0)));
    if (!handle_) {
        const int reason = errno;
        ::kill(process_, SIGKILL);
        ::waitpid(process_, nullptr, 0);
        forget_child(process_);
        errno = reason;
        fail("watch " + command[0]);
    }
}

ChildProcess::~ChildProcess() {
    if (process_ < 0) return;
    send_signal(SIGKILL);
    while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
    forget_child(process_);
}

std::optional<ChildResult> ChildProcess::wait_for(std::chrono::duration<double> time,
                                                  const std::atomic<bool>* cancel) {
    if (process_ < 0) throw Error("a program is waited for that has ended");
    const auto end = Clock::now() + time;
    while (true) {
        if (is_cancelled(cancel)) send_signal(SIGKILL);
        note_memory();
        const auto left = std::clamp<std::chrono::duration<double>>(end - Clock::now(), {}, look_every);
        const auto whole = std::chrono::duration_cast<std::chrono::nanoseconds>(left).count();
        const timespec timeout{0, whole};
        pollfd watched{handle_.get(), POLLIN, 0};
        const int ready = ::ppoll(&watched, 1, &timeout, nullptr);
        if (ready < 0 && errno != EINTR) fail("wait for a program");
        if (ready > 0) return collect();
        if (Clock::now() >= end) return std::nullopt;
    }
}

ChildResult ChildProcess::wait(const std::atomic<bool>* cancel) {
    while (true) {
        if (std::optional<ChildResult> outcome = wait_for(std::chrono::hours(1), cancel)) return *outcome;
    }
}

void ChildProcess::send_signal(int signal) {
    if (process_ >= 0) ::kill(has_group_ ? -process_ : process_, signal);
}

ChildResult ChildProcess::collect() {
    int status = 0;
    rusage usage{};
    while (::wait4(process_, &status, 0, &usage) < 0) {
        if (errno != EINTR) fail("wait for a program");
    }
    forget_child(process_);
    process_ = -1;
    ChildResult outcome;
    outcome.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    outcome.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    // The kernel's figure is exact, but begins with what the process had before it became another program:
    // what this one has, and may have gained since it was asked.
    const std::uint64_t counted = static_cast<std::uint64_t>(usage.ru_maxrss) << 10;
    outcome.peak_memory_bytes = counted > own_peak_bytes_ + gained_bytes ? counted : seen_peak_bytes_;
    outcome.error_text = all_of(errors_.get());
    return outcome;
}

void ChildProcess::note_memory() {
    seen_peak_bytes_ = std::max(seen_peak_bytes_, peak_memory_of(std::to_string(process_)));
}

}  // namespace fovea
