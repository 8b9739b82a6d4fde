#pragma once

#include "lib/files/descriptor.hpp"

namespace fovea {

/// A pipe. Children close both ends when they become another program.
struct Pipe {
    /// \throws Error if the system gives no pipe.
    Pipe();

    FileDescriptor reading, writing;
};

}  // namespace fovea
