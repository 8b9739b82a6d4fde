#pragma once

#include <spawn.h>
#include <sys/types.h>

namespace fovea {

/// Starts a program by posix_spawnp() and puts it on the list of kill_children(), which has 1,024 places.
/// \return 0, or the error's errno, and `child` is not set; EAGAIN if the list is full.
int spawn_child(pid_t& child, char* const command[], const posix_spawn_file_actions_t& actions,
                const posix_spawnattr_t* attributes, char* const environment[]);

/// Takes a child off the list. Call it as soon as the child was waited for.
void forget_child(pid_t child);

/// Kills all children on the list, at the end of this process. Signal handlers may call it, on any thread.
void kill_children() noexcept;

}  // namespace fovea
