#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <string>

#include "lib/files/descriptor.hpp"
#include "lib/process/child_process.hpp"

namespace fovea {

/// The bytes that a command line writes to its standard output, as from a pipe of the shell.
class CommandOutput {
  public:
    /// Starts `command` by /bin/sh. \throws Error if that fails.
    explicit CommandOutput(const std::string& command);

    /// Reads bytes, and waits until there is one. \param stop ends the waiting when it becomes true; may be
    /// null. \return their number; 0 at the end.
    std::size_t read(char* to, std::size_t length, const std::atomic<bool>* stop);

    /// Waits for the command, once read() has returned 0. \return what is wrong with its end: "ended with
    /// exit code 1: no such object"; empty if all is well.
    std::string failure(const std::atomic<bool>* stop);

  private:
    FileDescriptor output_;
    std::optional<ChildProcess> process_;
};

}  // namespace fovea
