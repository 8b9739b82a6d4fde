// Allocations. glibc gives its own functions a second name each, so that nothing has to be looked up, which
// could allocate.

#include <cerrno>
#include <cstddef>

#include <malloc.h>

#include "tests/support/fault_injection/fault_plan.hpp"

extern "C" {

void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);

}  // extern "C"

namespace {

bool fails(std::size_t bytes) {
    if (fault::next_allocation_fault(bytes).error == 0) return false;
    errno = ENOMEM;
    return true;
}

}  // namespace

extern "C" {

void* malloc(std::size_t bytes) noexcept {
    return fails(bytes) ? nullptr : __libc_malloc(bytes);
}
void* calloc(std::size_t count, std::size_t bytes) noexcept {
    std::size_t all = 0;
    // The function itself refuses a product that overflows.
    if (!__builtin_mul_overflow(count, bytes, &all) && fails(all)) return nullptr;
    return __libc_calloc(count, bytes);
}
void* realloc(void* memory, std::size_t bytes) noexcept {
    return fails(bytes) ? nullptr : __libc_realloc(memory, bytes);
}
void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
    return fails(bytes) ? nullptr : __libc_memalign(alignment, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
    return fails(bytes) ? nullptr : __libc_memalign(alignment, bytes);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) noexcept {
    if (fails(bytes)) return ENOMEM;
    void* const made = __libc_memalign(alignment, bytes);
    if (made == nullptr) return ENOMEM;
    *memory = made;
    return 0;
}

}  // extern "C"
