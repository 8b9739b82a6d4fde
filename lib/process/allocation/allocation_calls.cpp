#include "lib/process/allocation/allocation_calls.hpp"

// The C library's allocator is replaced in the way that it provides for: a program's own functions of these
// names are taken by all libraries. These do what the originals do, which glibc also offers by second names,
// and count where a ceiling is.

#include <cerrno>
#include <cstddef>
#include <cstdlib>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define FOVEA_HAS_OWN_ALLOCATOR
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define FOVEA_HAS_OWN_ALLOCATOR
#endif

#ifndef FOVEA_HAS_OWN_ALLOCATOR

#include <malloc.h>

#include "lib/process/memory_ceiling.hpp"

extern "C" {

void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
void __libc_free(void* memory);

}  // extern "C"

namespace {

std::ptrdiff_t size_of(void* memory) {
    return static_cast<std::ptrdiff_t>(::malloc_usable_size(memory));
}

/// \param make  the original
template <class Make>
void* take(std::size_t bytes, const Make& make) noexcept {
    fovea::MemoryAccount* const account = fovea::current_memory_account;
    if (account == nullptr) return make();
    if (!account->may_take(bytes)) {
        errno = ENOMEM;
        return nullptr;
    }
    void* const memory = make();
    if (memory != nullptr)
        account->note(size_of(memory));
    else
        account->was_short = true;
    return memory;
}

}  // namespace

extern "C" {

void* malloc(std::size_t bytes) noexcept {
    return take(bytes, [&] { return __libc_malloc(bytes); });
}

void* calloc(std::size_t count, std::size_t bytes) noexcept {
    std::size_t all = 0;
    // The original refuses a product that overflows.
    if (__builtin_mul_overflow(count, bytes, &all)) return __libc_calloc(count, bytes);
    return take(all, [&] { return __libc_calloc(count, bytes); });
}

void* realloc(void* memory, std::size_t bytes) noexcept {
    fovea::MemoryAccount* const account = fovea::current_memory_account;
    if (account == nullptr) return __libc_realloc(memory, bytes);
    const std::ptrdiff_t before = memory != nullptr ? size_of(memory) : 0;
    const auto had = static_cast<std::size_t>(before);
    if (bytes > had && !account->may_take(bytes - had)) {
        errno = ENOMEM;
        return nullptr;
    }
    void* const made = __libc_realloc(memory, bytes);
    if (made != nullptr)
        account->note(size_of(made) - before);
    else if (bytes > 0)
        account->was_short = true;
    else
        account->note(-before);
    return made;
}

void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
    return take(bytes, [&] { return __libc_memalign(alignment, bytes); });
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
    return memalign(alignment, bytes);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) noexcept {
    const bool is_power = alignment != 0 && (alignment & (alignment - 1)) == 0;
    if (!is_power || alignment % sizeof(void*) != 0) return EINVAL;
    void* const made = memalign(alignment, bytes);
    if (made == nullptr) return ENOMEM;
    *memory = made;
    return 0;
}

void free(void* memory) noexcept {
    fovea::MemoryAccount* const account = fovea::current_memory_account;
    if (account != nullptr && memory != nullptr) account->note(-size_of(memory));
    __libc_free(memory);
}

}  // extern "C"

#endif

void fovea::count_allocations() {}
