#pragma once

#include <cstddef>

namespace fovea {

/// Counts the memory that a thread takes from the C library's allocator while a MemoryCeiling lives.
struct MemoryAccount {
    std::ptrdiff_t max_bytes = 0;
    std::ptrdiff_t used_bytes = 0;  ///< taken and not given back; below 0 if earlier memory was given back
    std::ptrdiff_t peak_bytes = 0;
    bool was_refused = false;  ///< more than `max_bytes` was asked for
    bool was_short = false;    ///< the system had no more

    /// True if so many bytes may be taken. Up to a MiB beyond the ceiling, small pieces still may: libraries
    /// need them to fail in order.
    bool may_take(std::size_t bytes) noexcept;
    /// Counts bytes that were taken. \param bytes below 0: they were given back.
    void note(std::ptrdiff_t bytes) noexcept;
};

/// The account of this thread; null without a ceiling. For the functions of lib/process/allocation.
extern constinit thread_local MemoryAccount* current_memory_account;

/// A hard limit on the memory that the calling thread takes, in whatever library, while this lives: malloc()
/// and its kin, and so `new`, fail beyond it. After a library failed, it says whether the file asked for too
/// much memory (was_reached()), the machine had too little (was_short()), or the file is damaged (neither).
///
/// Ceilings work only in programs that call count_allocations() of lib/process/allocation, and not with
/// sanitizers, which bring their own allocators. Elsewhere was_reached() and was_short() return false.
class MemoryCeiling {
  public:
    explicit MemoryCeiling(std::size_t max_bytes);
    ~MemoryCeiling();
    MemoryCeiling(const MemoryCeiling&) = delete;
    MemoryCeiling& operator=(const MemoryCeiling&) = delete;

    /// True if more memory was asked for than the ceiling allows.
    bool was_reached() const { return account_.was_refused; }
    /// True if the system lacked memory.
    bool was_short() const { return account_.was_short; }
    /// Bytes that were taken and not given back; below 0 if earlier memory was given back.
    std::ptrdiff_t held_bytes() const { return account_.used_bytes; }
    /// The most bytes that were held at any time.
    std::size_t peak_bytes() const { return static_cast<std::size_t>(account_.peak_bytes); }

  private:
    MemoryAccount account_;
    MemoryAccount* outer_;
};

}  // namespace fovea
