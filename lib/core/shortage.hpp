#pragma once

#include <string>

#include "lib/core/error.hpp"

namespace fovea {

/// Something that the machine lacks for now: file descriptors, memory, a disk that answers. It says nothing about the input
/// at which it shows, so it ends a job, which can be resumed, and never becomes a result. Exit code 1.
class ShortageError : public Error {
  public:
    explicit ShortageError(const std::string& message) : Error(message) {}
};

/// True for values of errno that tell of the machine and not of the file: EMFILE, ENOMEM, EIO, a network file system that
/// does not answer, ...
bool is_shortage(int error);

/// What to do about a shortage, as the end of a message: "; raise the limit of open files (ulimit -n) ...".
/// Empty where nothing helps but to look.
std::string shortage_advice(int error);

}  // namespace fovea
