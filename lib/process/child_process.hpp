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
    int exit_code = -1;                   ///< 128 + the signal's number if one ended it, as a shell says it
    double seconds = 0;                   ///< from its start
    std::uint64_t peak_memory_bytes = 0;  ///< most resident memory of that process
    std::string error_text;               ///< what it wrote to standard error
};

/// A program that runs beside this one, with this one's environment. It reads nothing, its standard output
/// goes nowhere, and its standard error is kept in memory.
class ChildProcess {
  public:
    /// \param command  program (a path, or a name on PATH) and arguments. \throws Error if it cannot be
    /// started.
    explicit ChildProcess(const std::vector<std::string>& command);
    ~ChildProcess();  ///< kills it if it still runs
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    /// Waits until it ends, the time is over (then nothing is returned), or `cancel` becomes true (then it is
    /// killed, and its end returned). Call it until it returns an outcome. \throws Error
    std::optional<ChildResult> wait_for(std::chrono::duration<double> time,
                                        const std::atomic<bool>* cancel = nullptr);
    /// Waits until it ends, however long it takes.
    ChildResult wait(const std::atomic<bool>* cancel = nullptr);

    void send_signal(int signal);

  private:
    ChildResult collect();
    void note_memory();

    FileDescriptor errors_;
    FileDescriptor handle_;  // of the process
    pid_t process_ = -1;
    std::chrono::steady_clock::time_point start_;
    std::uint64_t own_peak_bytes_ = 0;   // this process's when the child was started
    std::uint64_t seen_peak_bytes_ = 0;  // of the child
};

/// Most resident memory that a process has had so far, by /proc/PROCESS/status; 0 if it does not say.
std::uint64_t peak_memory_of(const std::string& process);

}  // namespace fovea
