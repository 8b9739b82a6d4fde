#include "lib/files/packed.hpp"

#include <zlib.h>

namespace fovea {

void append_number(std::string& bytes, std::uint64_t value, int count) {
    for (int i = 0; i < count; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
}

std::uint64_t number_at(std::string_view bytes, std::size_t at, int count) {
    std::uint64_t value = 0;
    for (int i = count; i-- > 0;)
        value = value << 8 | static_cast<std::uint8_t>(bytes[at + static_cast<std::size_t>(i)]);
    return value;
}

std::uint32_t crc32_of(std::string_view bytes, std::uint32_t before) {
    // An empty view may have no address, and zlib takes a null one for the wish to begin anew.
    if (bytes.empty()) return before;
    return static_cast<std::uint32_t>(
        crc32_z(before, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

}  // namespace fovea
