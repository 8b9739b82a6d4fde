#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace fovea {

/// Objects that serve one user each and then wait for the next user. The pool makes as many as are in use at
/// once. Any number of threads may use it.
template <class T>
class IdlePool {
  public:
    /// Takes an idle object, or a new one from make() if none is idle. \throws what make() throws.
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

    /// Gives an object of take() back. \param keeps is called, under the lock, with the list of idle objects,
    /// `object` last; if it returns false, `object` is destroyed. It must not throw.
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
    std::size_t made_ = 0;  // objects that are not destroyed, idle or not
};

}  // namespace fovea
