#pragma once

#include <spawn.h>
#include <sys/types.h>

namespace fovea {

/// posix_spawnp, with the child on a list of those that kill_children() ends.
/// \return 0, or the error's number; `child` is then not set. Without a free place on the list (it has
/// 1,024): EAGAIN.
int spawn_child(pid_t& child, char* const command[], const posix_spawn_file_actions_t& actions,
                const posix_spawnattr_t* attributes, char* const environment[]);

/// Takes a child off the list; to be called as soon as it was waited for.
void forget_child(pid_t child);

/// Kills all children on the list, for the end of this process. May be called by a signal handler, from any
/// thread.
void kill_children() noexcept;

}  // namespace fovea
