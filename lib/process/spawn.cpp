#include "lib/process/spawn.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>

#include <poll.h>

namespace fovea {
namespace {

static_assert(std::atomic<pid_t>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

constexpr pid_t free_place = 0;
constexpr pid_t starting = -1;
std::array<std::atomic<pid_t>, 1024> children{};  // a process, or one of the two above

std::atomic<pid_t>* take_place() {
    for (std::atomic<pid_t>& place : children) {
        pid_t expected = free_place;
        if (place.compare_exchange_strong(expected, starting)) return &place;
    }
    return nullptr;
}

bool is_one_starting() {
    return std::any_of(children.begin(), children.end(),
                       [](const std::atomic<pid_t>& place) { return place.load() == starting; });
}

}  // namespace

int spawn_child(pid_t& child, char* const command[], const posix_spawn_file_actions_t& actions,
                const posix_spawnattr_t* attributes, char* const environment[]) {
    std::atomic<pid_t>* const place = take_place();
    if (place == nullptr) return EAGAIN;
    pid_t started = 0;
    const int failure = ::posix_spawnp(&started, command[0], &actions, attributes, command, environment);
    place->store(failure == 0 ? started : free_place);
    if (failure == 0) child = started;
    return failure;
}

void forget_child(pid_t child) {
    for (std::atomic<pid_t>& place : children) {
        pid_t expected = child;
        if (place.compare_exchange_strong(expected, free_place)) return;
    }
}

void kill_children() noexcept {
    // One that another thread is starting just now is on the list in a moment; it could be this thread, too.
    for (int i = 0; i < 50 && is_one_starting(); ++i) ::poll(nullptr, 0, 1);
    for (const std::atomic<pid_t>& place : children) {
        const pid_t child = place.load();
        if (child <= 0) continue;
        ::kill(child, SIGKILL);
        ::kill(-child, SIGKILL);  // what it has started, if it leads a group
    }
}

}  // namespace fovea
