#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "lib/files/descriptor.hpp"

namespace fovea {

/// How a program ended.
struct ChildResult {
    int exit_code = -1;                   ///< 128 + the signal's number if a signal ended it, as in a shell
    double seconds = 0;                   ///< from its start to its end
    std::uint64_t peak_memory_bytes = 0;  ///< the most resident memory that it had
    std::string error_text;               ///< what it wrote to standard error
};

/// A program that this one starts, with the same environment. Its standard input is empty, and its standard
/// error is kept in memory.
class ChildProcess {
  public:
    /// Starts it. \param command the program (a path, or a name on PATH) and its arguments. \param output the
    /// descriptor that its standard output goes to; Ctrl-C in a terminal does not end such a program.
    /// Nothing: its output is dropped. \throws Error if it cannot be started.
    explicit ChildProcess(const std::vector<std::string>& command, std::optional<int> output = std::nullopt);
    /// Kills it if it still runs, and what it has started, if it has an `output`.
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    /// Waits until it ends. If `cancel` becomes true, it is killed. \return nothing if it still runs after
    /// `time`; call this again until there is a result. \throws Error once a result was returned.
    std::optional<ChildResult> wait_for(std::chrono::duration<double> time,
                                        const std::atomic<bool>* cancel = nullptr);
    /// Waits until it ends, however long that takes. If `cancel` becomes true, it is killed.
    ChildResult wait(const std::atomic<bool>* cancel = nullptr);

    void send_signal(int signal);

  private:
    ChildResult collect();
    void note_memory();

    FileDescriptor errors_;
    FileDescriptor handle_;  // of the process
    pid_t process_ = -1;
    bool has_group_ = false;  // of its own
    std::chrono::steady_clock::time_point start_;
    std::uint64_t own_peak_bytes_ = 0;   // this process's when the child was started
    std::uint64_t seen_peak_bytes_ = 0;  // of the child
};

/// The most resident memory, in bytes, that a process has had so far; 0 if unknown. \param process the name
/// of its folder in /proc: a number, or "self".
std::uint64_t peak_memory_of(const std::string& process);

}  // namespace fovea
