#pragma once

#include <cstddef>

namespace fovea {

/// The memory that a thread takes from the C library's allocator while a MemoryCeiling is there.
struct MemoryAccount {
    std::ptrdiff_t max_bytes = 0;
    std::ptrdiff_t used_bytes = 0;  ///< taken and not given back; below 0 where earlier memory was given back
    std::ptrdiff_t peak_bytes = 0;
    bool was_refused = false;  ///< more than `max_bytes` was asked for
    bool was_short = false;    ///< the system had no more

    /// True if so many bytes may be taken. Small ones always may for a while: libraries fail in order.
    bool may_take(std::size_t bytes) noexcept;
    /// \param bytes  below 0: they were given back
    void note(std::ptrdiff_t bytes) noexcept;
};

/// The account of this thread; null where it has no ceiling. For the functions of lib/process/allocation.
extern constinit thread_local MemoryAccount* current_memory_account;

/// A hard limit on the memory that the calling thread takes, in whatever library, as long as this lives:
/// malloc() and its kin, and so `new`, fail beyond it. It tells a library's lack of memory from damage in
/// what it reads, and a file that asks for too much from a machine that has too little.
///
/// A program keeps ceilings if it calls count_allocations() of lib/process/allocation; in others, and with
/// sanitizers, whose allocators stand in that place, they are not kept, and both questions are answered "no".
class MemoryCeiling {
  public:
    explicit MemoryCeiling(std::size_t max_bytes);
    ~MemoryCeiling();
    MemoryCeiling(const MemoryCeiling&) = delete;
    MemoryCeiling& operator=(const MemoryCeiling&) = delete;

    /// True if more was asked for than the ceiling allows.
    bool was_reached() const { return account_.was_refused; }
    /// True if the system lacked memory.
    bool was_short() const { return account_.was_short; }
    /// Bytes that were taken and not given back; below 0 where earlier memory was given back.
    std::ptrdiff_t held_bytes() const { return account_.used_bytes; }
    /// The most that was taken at any time.
    std::size_t peak_bytes() const { return static_cast<std::size_t>(account_.peak_bytes); }

  private:
    MemoryAccount account_;
    MemoryAccount* outer_;
};

}  // namespace fovea
