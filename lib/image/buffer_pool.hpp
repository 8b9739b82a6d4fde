#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

namespace fovea {

/// Keeps memory of images and files for later ones. Fetching it from the system page by page, clearing it and
/// giving it back can take a tenth of the time of decoding a JPEG, and more if many threads do so at once.
/// Any threads may use a pool at the same time.
class BufferPool {
  public:
    using Buffer = std::vector<std::uint8_t>;

    /// \param max_bytes the most bytes that are kept.
    explicit BufferPool(std::size_t max_bytes) : max_bytes_(max_bytes) {}

    /// Takes the newest buffer whose capacity is `bytes` or at most a quarter more; its size and content are
    /// arbitrary. \return an empty buffer if there is none.
    Buffer take(std::size_t bytes);

    /// Gives a buffer to the pool. Buffers below 64 KiB are freed, which costs nothing; the oldest are freed
    /// if there is no room.
    void release(Buffer buffer);

  private:
    const std::size_t max_bytes_;
    std::mutex mutex_;
    std::deque<Buffer> kept_;  // the oldest first
    std::size_t kept_bytes_ = 0;
};

}  // namespace fovea
