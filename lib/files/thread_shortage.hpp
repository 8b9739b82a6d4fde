#pragma once

#include <exception>

namespace fovea {

/// The message if a thread cannot be started.
inline constexpr const char* no_thread =
    "a thread cannot be started; lower --threads, or raise the limits of threads and memory (ulimit -u and "
    "ulimit -v)";

/// True if an exception of the C++ library or of TBB says that a thread could not be started.
bool is_lack_of_threads(const std::exception& error);

}  // namespace fovea
