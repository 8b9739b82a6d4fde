#include "lib/image/buffer_pool.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace fovea {
namespace {

constexpr std::size_t smallest = std::size_t{64} << 10;

bool fits(std::size_t bytes, std::size_t capacity) {
    return bytes <= capacity && capacity - bytes <= bytes / 4;
}

}  // namespace

BufferPool::Buffer BufferPool::take(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(kept_.rbegin(), kept_.rend(),
                                    [&](const Buffer& buffer) { return fits(bytes, buffer.capacity()); });
    if (found == kept_.rend()) return {};
    Buffer buffer = std::move(*found);
    kept_.erase(std::next(found).base());
    kept_bytes_ -= buffer.capacity();
    return buffer;
}

void BufferPool::release(Buffer buffer) {
    const std::size_t bytes = buffer.capacity();
    if (bytes < smallest || bytes > max_bytes_) return;
    std::vector<Buffer> released;  // when the lock is free again
    const std::lock_guard lock(mutex_);
    while (kept_bytes_ > max_bytes_ - bytes) {
        kept_bytes_ -= kept_.front().capacity();
        released.push_back(std::move(kept_.front()));
        kept_.pop_front();
    }
    kept_.push_back(std::move(buffer));
    kept_bytes_ += bytes;
}

}  // namespace fovea
