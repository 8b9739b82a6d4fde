#include "lib/image/formats/tiff_directory.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <string>

#include "lib/image/formats/decode.hpp"
#include "lib/image/formats/tiff_tags.hpp"

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
        case 4:   // LONG
        case 9:   // SLONG
        case 13:  // IFD
            return 4;
        case 16:  // LONG8
        case 17:  // SLONG8
        case 18:  // IFD8
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

bool is_full(const TiffDirectory& directory) {
    constexpr std::uint32_t reduced_bit = 1, mask_bit = 4, reduced_of_old = 2, mask_photometric = 4;
    return (directory.value(new_subfile_type).value_or(0) & (reduced_bit | mask_bit)) == 0 &&
           directory.value(subfile_type).value_or(0) != reduced_of_old &&
           directory.value(photometric).value_or(0) != mask_photometric;
}

/// Reads the directories of a file, up to a bound: they may overlap, in a file made to be slow.
class DirectoryReader {
  public:
    explicit DirectoryReader(const RandomAccess& stream) : stream_(stream) {}

    TiffDirectory read(std::size_t at) {
        constexpr std::size_t max_tags = std::size_t{1} << 18;
        if (tags_ > max_tags) throw ImageError("TIFF with so many directories is not supported");
        TiffDirectory directory(stream_, at);
        tags_ += directory.tags() + 1;
        return directory;
    }

    /// The directory itself, or the first full one below it.
    std::optional<TiffDirectory> full_picture(const TiffDirectory& directory) {
        constexpr std::size_t max_below = 16;
        if (is_full(directory)) return directory;
        const std::size_t below = std::min(directory.count(sub_directories), max_below);
        if (below == 0) return std::nullopt;
        for (const std::uint32_t at : directory.values(sub_directories, 0, below)) {
            TiffDirectory candidate = read(at);
            if (is_full(candidate)) return candidate;
        }
        return std::nullopt;
    }

  private:
    const RandomAccess& stream_;
    std::size_t tags_ = 0;
};

}  // namespace

TiffDirectory::TiffDirectory(const RandomAccess& stream) : TiffDirectory(stream, 0) {}

TiffDirectory::TiffDirectory(const RandomAccess& stream, std::size_t at)
    : stream_(&stream), order_(order_of(stream)), at_(at != 0 ? at : number(read(4, 4), 4)) {
    const std::uint32_t count = number(read(at_, 2), 2);
    if (at_ + 2 + std::size_t{12} * count > stream.size())
        throw_truncated("TIFF", "its directory lies outside of the file");
    const std::vector<std::uint8_t> entries = read(at_ + 2, std::size_t{12} * count);
    const HeaderReader reader(entries, order_, "TIFF");
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::size_t place = std::size_t{12} * i;
        Entry entry{reader.u16(place), reader.u16(place + 2), reader.u32(place + 4), at_ + 2 + place + 8};
        // Values of more than four bytes lie elsewhere.
        if (std::uint64_t{entry.count} * type_size(entry.type) > 4) entry.value_at = reader.u32(place + 8);
        entries_.push_back(entry);
    }
}

std::vector<std::uint8_t> TiffDirectory::read(std::uint64_t at, std::size_t length) const {
    std::vector<std::uint8_t> bytes(length);
    if (stream_->read_at(at, bytes.data(), length) < length)
        throw_truncated("TIFF",
                        "it ends after " + std::to_string(stream_->size()) + " bytes, inside its header");
    return bytes;
}

std::size_t TiffDirectory::next() const {
    return number(read(at_ + 2 + std::size_t{12} * entries_.size(), 4), 4);
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
    if (entry->value_at + std::uint64_t{entry->count} * type_size(entry->type) > stream_->size())
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

std::optional<std::string> TiffDirectory::text(std::uint32_t tag, std::size_t longest) const {
    constexpr std::uint32_t ascii = 2;
    const Entry* const entry = find(tag);
    if (entry == nullptr || entry->type != ascii) return std::nullopt;
    const std::uint64_t at = entry->count > 4 ? number(read(entry->value_at, 4), 4) : entry->value_at;
    const std::vector<std::uint8_t> bytes = read(at, std::min<std::size_t>(entry->count, longest));
    return std::string(bytes.begin(), bytes.end());
}

std::int64_t TiffDirectory::value_bytes_but_for(std::span<const std::uint32_t> tags) const {
    std::uint64_t sum = 0;  // at most 65535 times the stream
    for (const Entry& entry : entries_)
        if (std::find(tags.begin(), tags.end(), entry.tag) == tags.end())
            sum += std::min<std::uint64_t>(std::uint64_t{entry.count} * stored_size(entry.type),
                                           stream_->size());
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

TiffPages find_tiff_pages(const RandomAccess& stream) {
    DirectoryReader reader(stream);
    const TiffDirectory first(stream);
    std::optional<TiffDirectory> picture;
    int count = 0;
    std::set<std::size_t> seen;
    for (std::size_t at = first.at(); at != 0 && seen.insert(at).second;) {
        try {
            const TiffDirectory directory = reader.read(at);
            if (const std::optional<TiffDirectory> page = reader.full_picture(directory)) {
                if (!picture) picture.emplace(*page);
                ++count;
            }
            at = directory.next();
        } catch (const ImageError&) {
            if (!picture) throw;
            break;
        }
    }
    return {picture.value_or(first), std::max(count, 1)};
}

}  // namespace fovea::codec
