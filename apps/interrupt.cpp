#include "apps/interrupt.hpp"

#include <cstring>

#include <signal.h>
#include <unistd.h>

namespace fovea {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

struct sigaction previous_interrupt;
struct sigaction previous_terminate;

extern "C" void on_signal(int) {
    interrupted.store(true);
    constexpr char message[] =
        "\nfovea: interrupted: finishing what is in flight; once more to stop at once\n";
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, message, sizeof message - 1);
}

}  // namespace

InterruptGuard::InterruptGuard() {
    interrupted.store(false);
    struct sigaction action {};
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    // The second signal meets the default action again, which ends the program.
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    sigaction(SIGINT, &action, &previous_interrupt);
    sigaction(SIGTERM, &action, &previous_terminate);
}

InterruptGuard::~InterruptGuard() {
    sigaction(SIGINT, &previous_interrupt, nullptr);
    sigaction(SIGTERM, &previous_terminate, nullptr);
}

const std::atomic<bool>* InterruptGuard::flag() const {
    return &interrupted;
}

RunHooks run_hooks(Console& console, const InterruptGuard& interrupt) {
    RunHooks hooks;
    hooks.progress = [&console](const DetectProgress& progress) { console.progress(progress); };
    hooks.stage = [&console](const std::string& stage) { console.stage(stage); };
    hooks.cancel = interrupt.flag();
    return hooks;
}

}  // namespace fovea
