#pragma once

#include <atomic>

#include "apps/terminal/console.hpp"
#include "lib/job/detection_job.hpp"

namespace fovea {

/// From now on Ctrl-C (SIGINT), SIGTERM, SIGUSR1, and SIGHUP (the end of the terminal) unless the program was
/// started with that ignored, end it with exit code 130, and its children with it: at once, or, while an
/// InterruptGuard lives, when the job has finished what is in flight. Call it once, before any work.
void handle_interrupts();

/// While it lives, the first of these signals sets a flag, so that a job can finish what is in flight and
/// close its files. The program ends at once with the second signal, or if it has not ended 0.75 s after the
/// first: whatever it does then, nobody waits a second for its end. Files are left as by a crash, which every
/// job can go on from.
///
/// Make one when there is something to finish, not before: what is read or loaded first may take any time,
/// and reading a pipe into which nobody writes takes for ever.
class InterruptGuard {
  public:
    InterruptGuard();
    ~InterruptGuard();
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

    const std::atomic<bool>* flag() const;
};

/// Progress and stages to the console, cancellation from the guard. Both must outlive the hooks.
RunHooks run_hooks(Console& console, const InterruptGuard& interrupt);

}  // namespace fovea
