#pragma once

#include <atomic>

#include "apps/console.hpp"
#include "lib/pipeline/detection_job.hpp"

namespace fovea {

/// While it lives, the first Ctrl-C (SIGINT) or SIGTERM only sets a flag, so that a job can finish what is in
/// flight and close its files; the second one ends the program at once.
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
