#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "lib/image/formats/bytes.hpp"

namespace fovea::codec {

/// Bytes of a file or in memory that can be read at any offset.
class RandomAccess {
  public:
    virtual ~RandomAccess() = default;

    virtual std::size_t size() const = 0;
    /// Reads up to `length` bytes from offset `at` into `to`. \return their number; fewer only at the end.
    /// \throws ImageError
    virtual std::size_t read_at(std::uint64_t at, std::uint8_t* to, std::size_t length) const = 0;

  protected:
    RandomAccess() = default;
    RandomAccess(const RandomAccess&) = default;
    RandomAccess& operator=(const RandomAccess&) = default;
};

class MemoryAccess final : public RandomAccess {
  public:
    explicit MemoryAccess(Bytes bytes) : bytes_(bytes) {}

    std::size_t size() const override { return bytes_.size(); }
    std::size_t read_at(std::uint64_t at, std::uint8_t* to, std::size_t length) const override {
        if (at >= bytes_.size()) return 0;
        const Bytes part = bytes_.subspan(static_cast<std::size_t>(at));
        const std::size_t count = std::min(length, part.size());
        std::copy_n(part.begin(), count, to);
        return count;
    }

  private:
    Bytes bytes_;
};

}  // namespace fovea::codec
