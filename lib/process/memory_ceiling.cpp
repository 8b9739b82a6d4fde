#include "lib/process/memory_ceiling.hpp"

#include <algorithm>
#include <limits>

namespace fovea {

constinit thread_local MemoryAccount* current_memory_account = nullptr;

bool MemoryAccount::may_take(std::size_t bytes) noexcept {
    constexpr std::size_t small = 4096;
    constexpr std::ptrdiff_t grace = 1 << 20;
    const std::ptrdiff_t room = max_bytes - used_bytes + (bytes <= small ? grace : 0);
    if (room >= 0 && bytes <= static_cast<std::size_t>(room)) return true;
    was_refused = true;
    return false;
}

void MemoryAccount::note(std::ptrdiff_t bytes) noexcept {
    used_bytes += bytes;
    peak_bytes = std::max(peak_bytes, used_bytes);
}

MemoryCeiling::MemoryCeiling(std::size_t max_bytes) : outer_(current_memory_account) {
    // Room for sums with it.
    constexpr auto largest = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max() / 4);
    account_.max_bytes = static_cast<std::ptrdiff_t>(std::min(max_bytes, largest));
    current_memory_account = &account_;
}

MemoryCeiling::~MemoryCeiling() {
    current_memory_account = outer_;
    if (outer_ == nullptr) return;
    outer_->note(account_.peak_bytes);
    outer_->note(account_.used_bytes - account_.peak_bytes);
}

}  // namespace fovea
