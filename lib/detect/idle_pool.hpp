#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace fovea {

/// Objects of which each serves one call at a time. They are kept between calls: as many as calls were at
/// work at once. Any number of threads may use it.
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
        }
        return make();
    }

    void give_back(std::unique_ptr<T> object) {
        give_back(std::move(object), [](const auto&) { return true; });
    }

    /// \param keeps whether the objects, the returned one last, may all wait; if not, that one is destroyed.
    template <class Keeps>
    void give_back(std::unique_ptr<T> object, const Keeps& keeps) {
        const std::lock_guard lock(mutex_);
        idle_.push_back(std::move(object));
        if (!keeps(idle_)) idle_.pop_back();
    }

  private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<T>> idle_;
};

}  // namespace fovea
