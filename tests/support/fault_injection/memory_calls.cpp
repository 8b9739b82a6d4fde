// Allocations. The program has functions of these names of its own (lib/process/allocation), which call the C
// library's by their second names: those are what fails here. Looking up what is behind does not allocate.

#include <cerrno>
#include <cstddef>

#include "tests/support/fault_injection/fault_plan.hpp"

using fault::next_function;

namespace {

bool fails(std::size_t bytes) {
    if (fault::next_allocation_fault(bytes).error == 0) return false;
    errno = ENOMEM;
    return true;
}

}  // namespace

extern "C" {

void* __libc_malloc(std::size_t bytes) {
    static auto* const next = next_function<void*(std::size_t)>("__libc_malloc");
    return fails(bytes) ? nullptr : next(bytes);
}
void* __libc_calloc(std::size_t count, std::size_t bytes) {
    static auto* const next = next_function<void*(std::size_t, std::size_t)>("__libc_calloc");
    std::size_t all = 0;
    // The function itself refuses a product that overflows.
    if (!__builtin_mul_overflow(count, bytes, &all) && fails(all)) return nullptr;
    return next(count, bytes);
}
void* __libc_realloc(void* memory, std::size_t bytes) {
    static auto* const next = next_function<void*(void*, std::size_t)>("__libc_realloc");
    return fails(bytes) ? nullptr : next(memory, bytes);
}
void* __libc_memalign(std::size_t alignment, std::size_t bytes) {
    static auto* const next = next_function<void*(std::size_t, std::size_t)>("__libc_memalign");
    return fails(bytes) ? nullptr : next(alignment, bytes);
}

}  // extern "C"
