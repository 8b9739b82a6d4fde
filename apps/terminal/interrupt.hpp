#pragma once

#include <atomic>

#include "apps/terminal/console.hpp"
#include "lib/core/job_hooks.hpp"

namespace fovea {

/// Handles SIGINT (Ctrl-C), SIGTERM, the signals by which clusters announce an end (SIGUSR1, SIGUSR2,
/// SIGXCPU) and, unless the program was started with it ignored, SIGHUP (the end of the terminal): from now
/// on each ends the program and its children with exit code 130, at once or, while an InterruptGuard lives,
/// when the job has finished its current work. Call it once, before any work.
void handle_interrupts();

/// While it lives, the first signal of handle_interrupts() sets a flag, so that a job can finish its current
/// work and close its files. The program ends at once with the second signal, or 0.75 s after the first.
/// Files are then left as after a crash, from which every job can go on.
///
/// Make one only when there is work to finish: reading and loading before it may take any time, and a pipe
/// without a writer takes for ever.
class InterruptGuard {
  public:
    InterruptGuard();
    ~InterruptGuard();
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

    const std::atomic<bool>* flag() const;
};

/// Hooks that show progress and stages on the console and take cancellation from the guard. Both must
/// outlive them.
JobHooks job_hooks(Console& console, const InterruptGuard& interrupt);

}  // namespace fovea
