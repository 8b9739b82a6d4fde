#include "apps/terminal/interrupt.hpp"

#include <cerrno>
#include <string_view>

#include <poll.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "lib/core/error.hpp"
#include "lib/process/spawn.hpp"

namespace fovea {
namespace {

constexpr timeval time_to_finish{0, 750'000};

std::atomic<bool> interrupted{false};
std::atomic<int> guards{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "a signal handler may only touch lock-free atomics");

// Says nothing where that would block: in a pipe that is full.
void say(std::string_view message) {
    pollfd standard_error{STDERR_FILENO, POLLOUT, 0};
    if (::poll(&standard_error, 1, 0) <= 0) return;
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, message.data(), message.size());
}

[[noreturn]] void end_at_once() {
    kill_children();
    ::_exit(static_cast<int>(ExitCode::interrupted));
}

extern "C" void on_deadline(int) {
    say("fovea: ended without waiting any longer for what was in flight\n");
    end_at_once();
}

extern "C" void on_interrupt(int) {
    if (guards.load() == 0 || interrupted.exchange(true)) end_at_once();
    const int error = errno;
    // A system call and nothing else, as alarm(), which knows whole seconds only.
    const itimerval once{{0, 0}, time_to_finish};
    ::setitimer(ITIMER_REAL, &once, nullptr);
    say("\nfovea: interrupted: finishing what is in flight; once more to stop at once\n");
    errno = error;
}

void handle(int signal, void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    // Code that reads and writes need not know of signals.
    action.sa_flags = SA_RESTART;
    ::sigaction(signal, &action, nullptr);
}

// A program under nohup ends with the terminal only if it is told to.
bool is_ignored(int signal) {
    struct sigaction action {};
    return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

void handle_interrupts() {
    handle(SIGALRM, on_deadline);
    for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU}) handle(signal, on_interrupt);
    if (!is_ignored(SIGHUP)) handle(SIGHUP, on_interrupt);
}

InterruptGuard::InterruptGuard() {
    ++guards;
}

InterruptGuard::~InterruptGuard() {
    --guards;
}

const std::atomic<bool>* InterruptGuard::flag() const {
    return &interrupted;
}

JobHooks job_hooks(Console& console, const InterruptGuard& interrupt) {
    JobHooks hooks;
    hooks.progress = [&console](const JobProgress& progress) { console.progress(progress); };
    hooks.stage = [&console](const std::string& stage) { console.stage(stage); };
    hooks.cancel = interrupt.flag();
    return hooks;
}

}  // namespace fovea
