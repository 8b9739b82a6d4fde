#pragma once

#include <string>

#include "lib/core/error.hpp"

namespace fovea {

/// The machine lacks something for now: file descriptors, memory, a disk that answers. This says nothing
/// about the input that was being read, so it ends a job, which can be resumed, and never becomes a result.
/// Exit code 1.
class ShortageError : public Error {
  public:
    explicit ShortageError(const std::string& message) : Error(message) {}
};

/// The message for std::bad_alloc.
inline constexpr const char* not_enough_memory =
    "there is not enough memory; lower --threads, or end other programs";

/// Throws if an error is the machine's and not the file's; else returns.
/// \param what   the beginning of the message: "'a.jpg' cannot be read"; the reason and advice follow
/// \param error  errno
/// \param end    the end of the message: "." unless the caller adds to it
/// \throws ShortageError
void throw_if_short(const std::string& what, int error, const char* end = "");

}  // namespace fovea
