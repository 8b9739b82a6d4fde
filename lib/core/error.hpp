#pragma once

#include <stdexcept>
#include <string>

namespace fovea {

/// The program's exit codes; README.md lists them for users.
enum class ExitCode : int {
    done = 0,
    failed = 1,
    usage = 2,
    inputs_skipped = 3,  ///< done, but some inputs were unreadable; they are recorded
    gate_failed = 4,
    backends_differ = 5,
    interrupted = 130,
};

/// A failure with a sentence for the user: what failed, which file or record, what to do.
/// Ends the program with exit code 1.
class Error : public std::runtime_error {
  public:
    explicit Error(const std::string& message) : std::runtime_error(message) {}
};

/// Wrong flags, a wrong configuration, or inputs that are not there. Ends the program with exit code 2.
class UsageError : public Error {
  public:
    explicit UsageError(const std::string& message) : Error(message) {}
};

}  // namespace fovea
