#include "tests/support/fault_injection/fault_plan.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace fault {
namespace {

constexpr const char* operation_names[] = {"open",     "read",   "write",    "sync",   "rename",
                                           "truncate", "remove", "close",    "folder", "stat",
                                           "list",     "lock",   "allocate", "spawn",  "thread"};

struct NamedError {
    const char* name;
    int error;
};
constexpr NamedError errors[] = {{"EIO", EIO},       {"ENOSPC", ENOSPC}, {"EMFILE", EMFILE},
                                 {"ENFILE", ENFILE}, {"ENOMEM", ENOMEM}, {"EACCES", EACCES},
                                 {"EINTR", EINTR},   {"EDQUOT", EDQUOT}, {"EAGAIN", EAGAIN},
                                 {"EROFS", EROFS},   {"ENOLCK", ENOLCK}, {"ENOENT", ENOENT}};

enum class Effect { error, comes_short, torn, kill_before, kill_after };

// Plain data without initialisation at run time: malloc is called before any constructor.
struct Plan {
    bool is_faulty;
    bool is_lasting;
    Operation operation;
    Effect effect;
    int error;
    long number;
    long delay_milliseconds;
    std::size_t min_bytes;
    char files[PATH_MAX];
    char trace[PATH_MAX];
};
Plan plan;
std::atomic<bool> is_active{false};
std::atomic<long> operations_seen{0};

[[noreturn]] void refuse(const char* variable) {
    std::fprintf(stderr, "fault injection: %s is missing or not understood\n", variable);
    ::_exit(125);
}

void copy_text(char (&to)[PATH_MAX], const char* from) {
    if (std::strlen(from) >= sizeof to) refuse("a path");
    std::strcpy(to, from);
}

const char* value_of(const char* variable, const char* otherwise) {
    const char* value = std::getenv(variable);
    return value != nullptr ? value : otherwise;
}

Operation operation_of(const char* name) {
    for (std::size_t i = 0; i < std::size(operation_names); ++i) {
        if (std::strcmp(name, operation_names[i]) == 0) return static_cast<Operation>(i);
    }
    refuse("FOVEA_FAULT_OPERATION");
}

void read_effect(const char* name) {
    if (std::strcmp(name, "short") == 0) {
        plan.effect = Effect::comes_short;
    } else if (std::strcmp(name, "torn") == 0) {
        plan.effect = Effect::torn;
    } else if (std::strcmp(name, "kill-before") == 0) {
        plan.effect = Effect::kill_before;
    } else if (std::strcmp(name, "kill-after") == 0) {
        plan.effect = Effect::kill_after;
    } else {
        for (const NamedError& known : errors) {
            if (std::strcmp(name, known.name) == 0) plan.error = known.error;
        }
        if (plan.error == 0) refuse("FOVEA_FAULT_EFFECT");
    }
}

__attribute__((constructor)) void read_plan() {
    copy_text(plan.files, value_of("FOVEA_FAULT_FILES", "*"));
    copy_text(plan.trace, value_of("FOVEA_FAULT_TRACE", ""));
    plan.min_bytes = std::strtoul(value_of("FOVEA_FAULT_BYTES", "65536"), nullptr, 10);
    const char* operation = value_of("FOVEA_FAULT_OPERATION", "");
    if (*operation != '\0') {
        plan.operation = operation_of(operation);
        plan.number = std::strtol(value_of("FOVEA_FAULT_NUMBER", "1"), nullptr, 10);
        if (plan.number < 1) refuse("FOVEA_FAULT_NUMBER");
        plan.delay_milliseconds = std::strtol(value_of("FOVEA_FAULT_DELAY", "0"), nullptr, 10);
        read_effect(value_of("FOVEA_FAULT_EFFECT", ""));
        plan.is_lasting = *value_of("FOVEA_FAULT_LASTING", "") == '1';
        plan.is_faulty = true;
    }
    // Not for child processes.
    ::unsetenv("LD_PRELOAD");
}

bool matches(const char* pattern, const char* text) {
    for (; *pattern != '*'; ++pattern, ++text) {
        if (*pattern != *text) return false;
        if (*pattern == '\0') return true;
    }
    do {
        if (matches(pattern + 1, text)) return true;
    } while (*text++ != '\0');
    return false;
}

// The system calls themselves, as the functions of the C library are those of this one here.
void trace(Operation operation, const char* what, bool fails) {
    if (plan.trace[0] == '\0') return;
    char line[PATH_MAX + 32];
    const int length = std::snprintf(line, sizeof line, "%s%s %s\n", fails ? "! " : "",
                                     operation_names[static_cast<int>(operation)], what);
    const auto file = static_cast<int>(
        ::syscall(SYS_openat, AT_FDCWD, plan.trace, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
    ::syscall(SYS_write, file, line, static_cast<std::size_t>(length));
    ::syscall(SYS_close, file);
}

Fault count(Operation operation, const char* what) {
    Fault fault;
    bool fails = false;
    if (plan.is_faulty && operation == plan.operation) {
        const long number = operations_seen.fetch_add(1) + 1;
        if (plan.delay_milliseconds > 0) {
            const timespec delay{plan.delay_milliseconds / 1000, plan.delay_milliseconds % 1000 * 1'000'000};
            ::nanosleep(&delay, nullptr);
        }
        fails = plan.is_lasting ? number >= plan.number : number == plan.number;
    }
    trace(operation, what, fails);
    if (!fails) return fault;
    if (plan.effect == Effect::kill_before) kill_this_process();
    fault.error = plan.error;
    fault.is_short = plan.effect == Effect::comes_short || plan.effect == Effect::torn;
    fault.kills_after = plan.effect == Effect::torn || plan.effect == Effect::kill_after;
    return fault;
}

bool is_of_interest(Operation operation) {
    return is_active && (plan.trace[0] != '\0' || (plan.is_faulty && operation == plan.operation));
}

}  // namespace

void set_active(bool active) {
    is_active = active;
}

void kill_this_process() {
    ::kill(::getpid(), SIGKILL);
    for (;;) ::pause();
}

Fault next_fault(Operation operation, const char* path) {
    if (!is_of_interest(operation)) return {};
    if (path != nullptr && !matches(plan.files, path)) return {};
    const int error = errno;
    const Fault fault = count(operation, path != nullptr ? path : "-");
    errno = error;
    return fault;
}

Fault next_fault(Operation operation, int descriptor) {
    if (!is_of_interest(operation)) return {};
    const int error = errno;
    char link[32];
    char path[PATH_MAX];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    const long length = ::syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    const Fault fault = matches(plan.files, path) ? count(operation, path) : Fault{};
    errno = error;
    return fault;
}

Fault next_allocation_fault(std::size_t bytes) {
    if (!is_of_interest(Operation::allocate) || bytes < plan.min_bytes) return {};
    const int error = errno;
    char text[32];
    std::snprintf(text, sizeof text, "%zu", bytes);
    const Fault fault = count(Operation::allocate, text);
    errno = error;
    return fault;
}

}  // namespace fault
