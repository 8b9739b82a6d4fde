#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// Numbers and checksums in binary files.
namespace fovea {

/// Appends the lower `count` bytes of a number, the least significant one first.
void append_number(std::string& bytes, std::uint64_t value, int count);

/// The number in the `count` bytes at an offset, the least significant one first. They must be there.
std::uint64_t number_at(std::string_view bytes, std::size_t at, int count);

/// CRC-32 as zlib computes it. \param before the CRC-32 of the bytes before these.
std::uint32_t crc32_of(std::string_view bytes, std::uint32_t before = 0);

}  // namespace fovea
