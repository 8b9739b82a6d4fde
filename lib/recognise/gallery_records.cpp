#include "lib/recognise/gallery_records.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>

#include "lib/core/error.hpp"
#include "lib/files/disk.hpp"
#include "lib/files/packed.hpp"

namespace fovea {
namespace {

constexpr std::string_view magic = "FOVEAGAL";
constexpr std::size_t header_start = magic.size() + 8;
constexpr std::size_t longest_header = std::size_t{1} << 24;
constexpr std::size_t head_bytes = 16;
constexpr std::size_t checksum_bytes = 4;
constexpr std::size_t sync_data_bytes = 8;
constexpr std::size_t sync_bytes = head_bytes + sync_data_bytes + checksum_bytes;
constexpr std::array<std::string_view, 3> kind_names{"FACE", "GONE", "SYNC"};

bool ends_with_checksum(std::string_view bytes) {
    const std::size_t length = bytes.size() - checksum_bytes;
    return crc32_of(bytes.substr(0, length)) == number_at(bytes, length, 4);
}

void append_checksum(std::string& bytes) {
    append_number(bytes, crc32_of(bytes), 4);
}

void require_32_bits(std::size_t length) {
    if (length > 0xFFFFFFFFU) throw std::length_error("a gallery's record holds less than 4 GiB");
}

// A sync record anywhere in the bytes; its offset may be another than where it stands, where bytes were lost.
bool holds_sync(std::string_view bytes) {
    static const std::string beginning = gallery_sync_bytes(0).substr(0, head_bytes);
    for (std::size_t at = bytes.find(beginning); at != std::string_view::npos;
         at = bytes.find(beginning, at + 1)) {
        if (bytes.size() - at >= sync_bytes && ends_with_checksum(bytes.substr(at, sync_bytes))) return true;
    }
    return false;
}

}  // namespace

std::string gallery_header_bytes(std::string_view json) {
    if (json.size() > longest_header) throw std::length_error("a gallery's header holds at most 16 MiB");
    std::string bytes(magic);
    append_number(bytes, gallery_version, 4);
    append_number(bytes, json.size(), 4);
    bytes += json;
    append_checksum(bytes);
    return bytes;
}

std::string gallery_record_bytes(GalleryRecordKind kind, std::string_view metadata, std::string_view data) {
    require_32_bits(metadata.size());
    require_32_bits(data.size());
    std::string bytes;
    bytes.reserve(head_bytes + metadata.size() + data.size() + checksum_bytes);
    bytes += kind_names[static_cast<std::size_t>(kind)];
    append_number(bytes, metadata.size(), 4);
    append_number(bytes, data.size(), 4);
    append_checksum(bytes);
    bytes += metadata;
    bytes += data;
    append_checksum(bytes);
    return bytes;
}

std::string gallery_sync_bytes(std::uint64_t offset) {
    std::string data;
    append_number(data, offset, sync_data_bytes);
    return gallery_record_bytes(GalleryRecordKind::synced, "", data);
}

GalleryRecordReader::GalleryRecordReader(const std::filesystem::path& file)
    : own_(::open(file.c_str(), O_RDONLY | O_CLOEXEC)), descriptor_(own_.get()), name_(file.string()) {
    if (!own_ && (errno == ENOENT || errno == ENOTDIR)) {
        throw UsageError("There is no gallery '" + name_ +
                         "'; check the path, or make one with 'fovea enroll'.");
    }
    if (!own_) throw Error("The gallery '" + name_ + "' cannot be opened: " + std::strerror(errno) + ".");
    read_header();
}

GalleryRecordReader::GalleryRecordReader(int descriptor, const std::filesystem::path& file)
    : descriptor_(descriptor), name_(file.string()) {
    read_header();
}

void GalleryRecordReader::read_header() {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) {
        throw Error("The gallery '" + name_ + "' cannot be read: " + std::strerror(errno) + ".");
    }
    if (!S_ISREG(status.st_mode)) {
        throw UsageError("'" + name_ + "' is not a file, where a gallery is needed; name the file.");
    }
    size_ = static_cast<std::uint64_t>(status.st_size);
    std::string bytes(std::min<std::uint64_t>(size_, header_start), '\0');
    read_at(0, bytes.size(), bytes.data());
    if (bytes.size() < header_start || bytes.compare(0, magic.size(), magic) != 0) {
        throw Error("'" + name_ + "' is not a gallery: it does not begin with " + std::string(magic) +
                    "; make one with 'fovea enroll'.");
    }
    if (const std::uint64_t version = number_at(bytes, magic.size(), 4); version != gallery_version) {
        throw Error("The gallery '" + name_ + "' is of version " + std::to_string(version) +
                    ", and this program reads version " + std::to_string(gallery_version) +
                    "; use the program that wrote it, or a newer one.");
    }
    const std::size_t length = number_at(bytes, magic.size() + 4, 4);
    if (length > longest_header || size_ - header_start < length + checksum_bytes) {
        fail_header("ends beyond the file");
    }
    bytes.resize(header_start + length + checksum_bytes);
    read_at(0, bytes.size(), bytes.data());
    if (!ends_with_checksum(bytes)) fail_header("does not match its checksum");
    header_ = bytes.substr(header_start, length);
    first_ = bytes.size();
    rewind();
}

void GalleryRecordReader::read_at(std::uint64_t offset, std::size_t count, char* bytes) const {
    const std::ptrdiff_t got = fovea::read_at(descriptor_, bytes, count, offset);
    if (got == static_cast<std::ptrdiff_t>(count)) return;
    throw Error("The gallery '" + name_ + "' cannot be read at byte " +
                std::to_string(offset + static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(got, 0))) + ": " +
                (got >= 0 ? "it has become shorter" : std::strerror(errno)) + ".");
}

void GalleryRecordReader::rewind() {
    at_ = first_;
    records_ = 0;
    last_is_sync_ = false;
}

bool GalleryRecordReader::next(GalleryRecord& record) {
    if (at_ == size_) return false;
    std::string why_not;
    const std::uint64_t offset = at_;
    if (read_record(record, why_not)) {
        last_offset_ = offset;
        ++records_;
        last_is_sync_ = record.kind == GalleryRecordKind::synced;
        if (last_is_sync_ && number_at(record.data, 0, 8) != offset) {
            fail_at_record("says that it stands at byte " + std::to_string(number_at(record.data, 0, 8)) +
                           ", so bytes before it were lost or added");
        }
        return true;
    }
    if (is_synced_behind(offset)) fail_damaged(records_ + 1, offset, why_not);
    return false;
}

bool GalleryRecordReader::read_record(GalleryRecord& record, std::string& why_not) {
    const std::uint64_t left = size_ - at_;
    std::string bytes(std::min<std::uint64_t>(left, head_bytes), '\0');
    read_at(at_, bytes.size(), bytes.data());
    if (left < head_bytes || !ends_with_checksum(bytes)) {
        why_not = "does not match the checksum of its beginning";
        return false;
    }
    const std::size_t metadata = number_at(bytes, 4, 4);
    const std::size_t data = number_at(bytes, 8, 4);
    if (left < head_bytes + metadata + data + checksum_bytes) {
        why_not = "ends beyond the file";
        return false;
    }
    bytes.resize(head_bytes + metadata + data + checksum_bytes);
    read_at(at_ + head_bytes, bytes.size() - head_bytes, bytes.data() + head_bytes);
    if (!ends_with_checksum(bytes)) {
        why_not = "does not match its checksum";
        return false;
    }
    const auto kind = std::find(kind_names.begin(), kind_names.end(), bytes.substr(0, 4));
    if (kind == kind_names.end() || (*kind == "SYNC" && (metadata != 0 || data != sync_data_bytes))) {
        fail_damaged(records_ + 1, at_, "is of no kind that this program knows");
    }
    record.kind = static_cast<GalleryRecordKind>(kind - kind_names.begin());
    record.offset = at_;
    record.metadata = bytes.substr(head_bytes, metadata);
    record.data = bytes.substr(head_bytes + metadata, data);
    at_ += bytes.size();
    return true;
}

bool GalleryRecordReader::is_synced_behind(std::uint64_t offset) const {
    constexpr std::size_t block = std::size_t{1} << 20;
    std::string bytes;
    // Blocks overlap by what a record may lack at their end.
    for (std::uint64_t at = offset; at < size_; at += block) {
        bytes.resize(std::min<std::uint64_t>(size_ - at, block + sync_bytes - 1));
        read_at(at, bytes.size(), bytes.data());
        if (holds_sync(bytes)) return true;
    }
    return false;
}

void GalleryRecordReader::fail_at_record(const std::string& what) const {
    fail_damaged(records_, last_offset_, what);
}

void GalleryRecordReader::fail_damaged(std::size_t number, std::uint64_t offset,
                                       const std::string& what) const {
    throw Error("The gallery '" + name_ + "' is damaged: record " + std::to_string(number) + ", at byte " +
                std::to_string(offset) + ", " + what +
                ". Restore the file from a copy, or enrol its images into a new gallery.");
}

void GalleryRecordReader::fail_header(const std::string& what) const {
    throw Error("The gallery '" + name_ + "' is damaged: its header " + what +
                ". Restore the file from a copy, or enrol its images into a new gallery.");
}

}  // namespace fovea
