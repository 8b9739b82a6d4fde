#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// Parts of binary files.
namespace fovea {

/// Appends the lower `count` bytes of a number, the least first.
void append_number(std::string& bytes, std::uint64_t value, int count);

/// The number of `count` bytes at an offset, the least first; they must be there.
std::uint64_t number_at(std::string_view bytes, std::size_t at, int count);

/// CRC-32 as zlib computes it. \param before  of the bytes before these.
std::uint32_t crc32_of(std::string_view bytes, std::uint32_t before = 0);

}  // namespace fovea
