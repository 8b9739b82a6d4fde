#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace fovea {

/// Bytes that several threads hold together, up to a limit. If nothing is held, a request of any size is
/// let in.
class MemoryBudget {
  public:
    explicit MemoryBudget(std::size_t max_bytes) : max_bytes_(max_bytes) {}

    /// False if the bytes do not fit now.
    bool try_acquire(std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        if (!fits(bytes)) return false;
        used_ += bytes;
        return true;
    }
    /// Waits until the bytes fit. \return false once the budget is closed.
    bool acquire(std::size_t bytes) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return is_closed_ || fits(bytes); });
        if (is_closed_) return false;
        used_ += bytes;
        return true;
    }
    void release(std::size_t bytes) {
        {
            const std::lock_guard lock(mutex_);
            used_ -= bytes;
        }
        changed_.notify_one();
    }
    void close() {
        {
            const std::lock_guard lock(mutex_);
            is_closed_ = true;
        }
        changed_.notify_all();
    }

  private:
    bool fits(std::size_t bytes) const {
        return used_ == 0 || (used_ < max_bytes_ && bytes <= max_bytes_ - used_);
    }

    const std::size_t max_bytes_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t used_ = 0;
    bool is_closed_ = false;
};

}  // namespace fovea
