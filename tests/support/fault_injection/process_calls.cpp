// main(), child processes and threads.

#include <pthread.h>
#include <spawn.h>
#include <unistd.h>

#include "tests/support/fault_injection/fault_plan.hpp"

using fault::call_with;
using fault::Fault;
using fault::next_fault;
using fault::next_function;
using fault::Operation;

namespace {

using Main = int (*)(int, char**, char**);
Main main_of_program = nullptr;

int watched_main(int argc, char** argv, char** environment) {
    fault::set_active(true);
    const int code = main_of_program(argc, argv, environment);
    fault::set_active(false);
    return code;
}

using Spawn = int(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*,
                  char* const*, char* const*);

// These return their error.
template <class Call>
int error_of(const Fault& fault, const Call& call) {
    return fault.error != 0 ? fault.error : call();
}

}  // namespace

extern "C" {

int __libc_start_main(Main program, int argc, char** argv, void (*initialise)(), void (*finish)(),
                      void (*finish_linker)(), void* stack_end) {
    static auto* const next =
        next_function<int(Main, int, char**, void (*)(), void (*)(), void (*)(), void*)>("__libc_start_main");
    main_of_program = program;
    return next(watched_main, argc, argv, initialise, finish, finish_linker, stack_end);
}

int posix_spawn(pid_t* child, const char* program, const posix_spawn_file_actions_t* actions,
                const posix_spawnattr_t* attributes, char* const* arguments, char* const* environment) {
    static auto* const next = next_function<Spawn>("posix_spawn");
    return error_of(next_fault(Operation::spawn, program),
                    [&] { return next(child, program, actions, attributes, arguments, environment); });
}
int posix_spawnp(pid_t* child, const char* program, const posix_spawn_file_actions_t* actions,
                 const posix_spawnattr_t* attributes, char* const* arguments, char* const* environment) {
    static auto* const next = next_function<Spawn>("posix_spawnp");
    return error_of(next_fault(Operation::spawn, nullptr),
                    [&] { return next(child, program, actions, attributes, arguments, environment); });
}
pid_t fork() noexcept {
    static auto* const next = next_function<pid_t()>("fork");
    return call_with(next_fault(Operation::spawn, nullptr), [&] { return next(); });
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                   void* argument) noexcept {
    static auto* const next =
        next_function<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
    return error_of(next_fault(Operation::thread, nullptr),
                    [&] { return next(thread, attributes, start, argument); });
}

}  // extern "C"
