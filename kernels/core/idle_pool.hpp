#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace fovea {

/// Objects of which each serves one user at a time. They are kept for the next: as many as users had one at
/// once. Any number of threads may use it.
template <class T>
class IdlePool {
  public:
    /// One that is idle, or what make() returns. \throws what make() throws.
    template <class Make>
    std::unique_ptr<T> take(const Make& make) {
        {
            const std::lock_guard lock(mutex_);
            if (!idle_.empty()) {
                std::unique_ptr<T> object = std::move(idle_.back());
                idle_.pop_back();
                return object;
            }
            // Now give_back() takes no memory.
            idle_.reserve(++made_);
        }
        return make();
    }

    void give_back(std::unique_ptr<T> object) noexcept {
        give_back(std::move(object), [](const auto&) { return true; });
    }

    /// \param object from take(). \param keeps whether the objects, the returned one last, may all wait; if
    /// not, that one is destroyed.
    template <class Keeps>
    void give_back(std::unique_ptr<T> object, const Keeps& keeps) noexcept {
        const std::lock_guard lock(mutex_);
        idle_.push_back(std::move(object));
        if (keeps(idle_)) return;
        idle_.pop_back();
        --made_;
    }

  private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<T>> idle_;
    std::size_t made_ = 0;  // and not dropped
};

}  // namespace fovea
