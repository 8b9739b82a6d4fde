#pragma once

#include <string>

#include "lib/core/error.hpp"

namespace fovea {

/// Something that the machine lacks for now: file descriptors, memory, a disk that answers. It says nothing
/// about the input at which it shows, so it ends a job, which can be resumed, and never becomes a result.
/// Exit code 1.
class ShortageError : public Error {
  public:
    explicit ShortageError(const std::string& message) : Error(message) {}
};

/// The message of std::bad_alloc where nothing tells more.
inline constexpr const char* not_enough_memory =
    "there is not enough memory; lower --threads, or end other programs";

/// Throws if errno tells of the machine and not of the file; else returns.
/// \param what  failed, as the message begins: "'a.jpg' cannot be read". The system's reason and advice
/// follow.
/// \param end  of the message: "." where nothing is added to it.
/// \throws ShortageError
void throw_if_short(const std::string& what, int error, const char* end = "");

}  // namespace fovea
