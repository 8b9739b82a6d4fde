#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

namespace fovea {

/// Memory of images and files that is used again for those that follow. Fetching it from the system page by
/// page, clearing it and giving it back takes as much as a tenth of the time that a JPEG takes to decode, and
/// more where many threads do so at once. For any threads at a time.
class BufferPool {
  public:
    using Buffer = std::vector<std::uint8_t>;

    /// \param max_bytes  that are kept for use
    explicit BufferPool(std::size_t max_bytes) : max_bytes_(max_bytes) {}

    /// A buffer in which `bytes` find room without it being much larger, of any size and content: the one
    /// given back last that fits. An empty one if there is none.
    Buffer take(std::size_t bytes);

    /// Small ones are let go: they come and go without the system. The oldest go if there is no room.
    void release(Buffer buffer);

  private:
    const std::size_t max_bytes_;
    std::mutex mutex_;
    std::deque<Buffer> kept_;  // the oldest first
    std::size_t kept_bytes_ = 0;
};

}  // namespace fovea
