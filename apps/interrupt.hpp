#pragma once

#include <atomic>

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

}  // namespace fovea
