#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>

#include "lib/image/gpu_images.hpp"

namespace fovea {

/// Pieces of memory on a GPU that batches use in turn.
class ResidentPool {
  public:
    explicit ResidentPool(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) free_.push_back(std::make_unique<ResidentImages>());
    }

    /// Waits for a free piece. \return null once the pool is closed.
    std::unique_ptr<ResidentImages> acquire() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return is_closed_ || !free_.empty(); });
        if (is_closed_) return nullptr;
        auto images = std::move(free_.front());
        free_.pop_front();
        return images;
    }
    void release(std::unique_ptr<ResidentImages> images) {
        {
            const std::lock_guard lock(mutex_);
            free_.push_back(std::move(images));
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
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::unique_ptr<ResidentImages>> free_;
    bool is_closed_ = false;
};

}  // namespace fovea
