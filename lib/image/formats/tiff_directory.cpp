#include "lib/image/formats/tiff_directory.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "lib/image/formats/decode.hpp"

namespace fovea::codec {
namespace {

// libtiff takes every kind of whole number for every tag of whole numbers.
std::size_t type_size(std::uint32_t type) {
    switch (type) {
        case 1:  // BYTE
        case 6:  // SBYTE
            return 1;
        case 3:  // SHORT
        case 8:  // SSHORT
            return 2;
        case 4:  // LONG
        case 9:  // SLONG
            return 4;
        case 16:  // LONG8
        case 17:  // SLONG8
            return 8;
        default:
            return 0;
    }
}

/// For any type that libtiff reads; 0 for others.
std::size_t stored_size(std::uint32_t type) {
    constexpr std::array<std::uint8_t, 19> sizes = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8};
    return type < sizes.size() ? sizes[type] : 0;
}

ByteOrder order_of(const RandomAccess& stream) {
    std::array<std::uint8_t, 4> mark{};
    const Bytes bytes = Bytes(mark).first(stream.read_at(0, mark.data(), mark.size()));
    if (has_magic(bytes, 0, "II\x2a\0", 4)) return ByteOrder::little;
    if (has_magic(bytes, 0, "MM\0\x2a", 4)) return ByteOrder::big;
    throw ImageError("corrupt TIFF: no byte order mark");
}

}  // namespace

TiffDirectory::TiffDirectory(const RandomAccess& stream) : stream_(stream), order_(order_of(stream)) {
    const std::size_t directory = number(read(4, 4), 4);
    const std::uint32_t count = number(read(directory, 2), 2);
    next_directory_at_ = directory + 2 + std::size_t{12} * count;
    if (next_directory_at_ > stream_.size())
        throw_truncated("TIFF", "its directory lies outside of the file");
    const std::vector<std::uint8_t> entries = read(directory + 2, std::size_t{12} * count);
    const HeaderReader reader(entries, order_, "TIFF");
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::size_t at = std::size_t{12} * i;
        Entry entry{reader.u16(at), reader.u16(at + 2), reader.u32(at + 4), directory + 2 + at + 8};
        // Values of more than four bytes lie elsewhere.
        if (std::uint64_t{entry.count} * type_size(entry.type) > 4) entry.value_at = reader.u32(at + 8);
        entries_.push_back(entry);
    }
}

std::vector<std::uint8_t> TiffDirectory::read(std::uint64_t at, std::size_t length) const {
    std::vector<std::uint8_t> bytes(length);
    if (stream_.read_at(at, bytes.data(), length) < length)
        throw_truncated("TIFF",
                        "it ends after " + std::to_string(stream_.size()) + " bytes, inside its header");
    return bytes;
}

const TiffDirectory::Entry* TiffDirectory::find(std::uint32_t tag) const {
    for (const Entry& entry : entries_)
        if (entry.tag == tag) return &entry;
    return nullptr;
}

/// The first `size` bytes as a number.
std::uint32_t TiffDirectory::number(Bytes bytes, std::size_t size) const {
    const HeaderReader reader(bytes, order_, "TIFF");
    switch (size) {
        case 1:
            return reader.u8(0);
        case 2:
            return reader.u16(0);
        case 4:
            return reader.u32(0);
        default: {
            const bool little = order_ == ByteOrder::little;
            const std::uint32_t high = reader.u32(little ? 4 : 0);
            return high == 0 ? reader.u32(little ? 0 : 4) : 0xffffffff;
        }
    }
}

std::optional<std::uint32_t> TiffDirectory::value(std::uint32_t tag) const {
    const Entry* entry = find(tag);
    if (entry == nullptr || entry->count == 0 || type_size(entry->type) == 0) return std::nullopt;
    const std::size_t size = type_size(entry->type);
    return number(read(entry->value_at, size), size);
}

std::size_t TiffDirectory::count(std::uint32_t tag) const {
    const Entry* entry = find(tag);
    if (entry == nullptr || type_size(entry->type) == 0) return 0;
    if (entry->value_at + std::uint64_t{entry->count} * type_size(entry->type) > stream_.size())
        throw_truncated("TIFF", "the values of tag " + std::to_string(tag) + " lie outside of the file");
    return entry->count;
}

std::vector<std::uint32_t> TiffDirectory::values(std::uint32_t tag, std::size_t first,
                                                 std::size_t length) const {
    const Entry& entry = *find(tag);
    const std::size_t size = type_size(entry.type);
    const std::vector<std::uint8_t> bytes = read(entry.value_at + first * size, length * size);
    std::vector<std::uint32_t> result(length);
    for (std::size_t i = 0; i < length; ++i) result[i] = number(Bytes(bytes).subspan(i * size), size);
    return result;
}

std::int64_t TiffDirectory::value_bytes_but_for(std::span<const std::uint32_t> tags) const {
    std::uint64_t sum = 0;  // at most 65535 times the stream
    for (const Entry& entry : entries_)
        if (std::find(tags.begin(), tags.end(), entry.tag) == tags.end())
            sum +=
                std::min<std::uint64_t>(std::uint64_t{entry.count} * stored_size(entry.type), stream_.size());
    return static_cast<std::int64_t>(std::min<std::uint64_t>(sum, std::numeric_limits<std::int64_t>::max()));
}

void TiffDirectory::set_first_value(std::span<std::uint8_t> stream, std::uint32_t tag,
                                    std::uint8_t value) const {
    const Entry* entry = find(tag);
    if (entry == nullptr || entry->count == 0) return;
    const std::size_t size = type_size(entry->type);
    if (size == 0 || entry->value_at + size > stream.size()) return;
    const auto bytes = stream.subspan(entry->value_at, size);
    std::fill(bytes.begin(), bytes.end(), std::uint8_t{0});
    (order_ == ByteOrder::little ? bytes.front() : bytes.back()) = value;
}

}  // namespace fovea::codec
