#include "lib/inputs/archive_reader.hpp"

#include <algorithm>
#include <array>
#include <clocale>
#include <new>
#include <string_view>
#include <utility>

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>
#include <zlib.h>

#include "lib/files/shortage.hpp"
#include "lib/image/formats/decode.hpp"
#include "lib/process/memory_ceiling.hpp"

namespace fovea {
namespace {

/// The thread's locale for one call. libarchive translates names into it.
class LocaleScope {
  public:
    explicit LocaleScope(locale_t locale) : before_(::uselocale(locale)) {}
    ~LocaleScope() { ::uselocale(before_); }
    LocaleScope(const LocaleScope&) = delete;
    LocaleScope& operator=(const LocaleScope&) = delete;

  private:
    locale_t before_;
};

std::string reason_of(::archive* archive) {
    const char* const reason = ::archive_error_string(archive);
    return reason != nullptr ? reason : "damaged archive";
}

[[noreturn]] void fail_for_memory(std::uint64_t bytes) {
    throw ImageError(
        "needs " + std::to_string(bytes >> 20) +
        " MiB or more to be unpacked, more than the memory limit allows; raise --memory-limit, or "
        "pack it with a smaller dictionary");
}

MemberHeader::Kind kind_of(::archive_entry* entry) {
    if (::archive_entry_hardlink(entry) != nullptr) return MemberHeader::Kind::hard_link;
    switch (::archive_entry_filetype(entry)) {
        case AE_IFREG:
            return MemberHeader::Kind::file;
        case AE_IFDIR:
            return MemberHeader::Kind::folder;
        case AE_IFLNK:
            return MemberHeader::Kind::symbolic_link;
        default:
            return MemberHeader::Kind::other;
    }
}

/// True if all of `bytes` were read.
template <class Bytes>
bool read_at(ArchiveBytes& source, std::uint64_t offset, Bytes& bytes) {
    return source.read_at(offset, {reinterpret_cast<char*>(bytes.data()), bytes.size()});
}

using TarHeader = std::array<unsigned char, tar_block>;

/// Octal digits, as the fields of a .tar header have them; nothing for anything else.
std::optional<std::uint64_t> octal(const TarHeader& header, std::size_t at, std::size_t length) {
    std::size_t end = at + length;
    while (at < end && header[at] == ' ') ++at;
    while (end > at && (header[end - 1] == ' ' || header[end - 1] == 0)) --end;
    if (at == end) return std::nullopt;
    std::uint64_t value = 0;
    for (; at < end; ++at) {
        if (header[at] < '0' || header[at] > '7') return std::nullopt;
        value = value * 8 + (header[at] - '0');
    }
    return value;
}

/// True if this is the header of a regular file of `size` bytes.
bool is_file_header(const TarHeader& header, std::uint64_t size) {
    constexpr std::size_t size_field = 124, checksum_field = 148, type_field = 156;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < header.size(); ++i) {
        sum += i >= checksum_field && i < checksum_field + 8 ? ' ' : header[i];
    }
    const unsigned char type = header[type_field];
    return octal(header, checksum_field, 8) == sum && octal(header, size_field, 12) == size &&
           (type == '0' || type == 0);
}

}  // namespace

template <class Call>
auto ArchiveReader::within_limit(const Call& call) {
    const auto left = static_cast<std::ptrdiff_t>(max_unpacker_bytes_) - held_bytes_;
    const MemoryCeiling ceiling(static_cast<std::size_t>(std::max<std::ptrdiff_t>(left, 0)));
    const auto outcome = call();
    held_bytes_ += ceiling.held_bytes();
    takes_too_much_ = ceiling.was_reached();
    return outcome;
}

ArchiveReader::ArchiveReader(const std::filesystem::path& archive, std::size_t block_bytes,
                             std::size_t max_unpacker_bytes, const std::atomic<bool>* stop)
    : path_(archive),
      max_unpacker_bytes_(max_unpacker_bytes != 0 ? max_unpacker_bytes : default_unpacker_bytes),
      source_(open_archive_bytes(archive, block_bytes, stop)),
      archive_(::archive_read_new(), &::archive_read_free) {
    if (!archive_) throw std::bad_alloc();
    // Names of .tar archives come as the bytes they are where they cannot be translated. Those of .zip
    // archives must be translated, and are the same in UTF-8.
    std::array<char, 2> magic{};
    const bool is_zip = read_at(*source_, 0, magic) && magic[0] == 'P' && magic[1] == 'K';
    if (source_->has_failed()) fail();
    locale_.reset(::newlocale(LC_ALL_MASK, is_zip ? "C.UTF-8" : "C", nullptr));
    if (!locale_) locale_.reset(::newlocale(LC_ALL_MASK, "C", nullptr));

    ::archive* const unpacker = archive_.get();
    // Each by name: "all" would run other programs for some.
    const bool complete = ::archive_read_support_filter_gzip(unpacker) == ARCHIVE_OK &&
                          ::archive_read_support_filter_bzip2(unpacker) == ARCHIVE_OK &&
                          ::archive_read_support_filter_xz(unpacker) == ARCHIVE_OK &&
                          ::archive_read_support_filter_zstd(unpacker) == ARCHIVE_OK &&
                          ::archive_read_support_format_tar(unpacker) == ARCHIVE_OK &&
                          ::archive_read_support_format_zip(unpacker) == ARCHIVE_OK;
    if (!complete && ::archive_errno(unpacker) == ENOMEM) throw std::bad_alloc();
    if (!complete)
        throw ImageError("this libarchive cannot unpack all kinds of archives: " + reason_of(unpacker));
    const LocaleScope scope(static_cast<locale_t>(locale_.get()));
    source_->connect(unpacker);
    if (within_limit([&] { return ::archive_read_open1(unpacker); }) != ARCHIVE_OK) fail();
}

ArchiveReader::~ArchiveReader() = default;

void ArchiveReader::FreeLocale::operator()(void* locale) const {
    ::freelocale(static_cast<locale_t>(locale));
}

std::optional<MemberHeader> ArchiveReader::next() {
    ::archive_entry* entry = nullptr;
    const LocaleScope scope(static_cast<locale_t>(locale_.get()));
    const int outcome = within_limit([&] { return ::archive_read_next_header(archive_.get(), &entry); });
    if (source_->has_failed()) fail();
    if (outcome == ARCHIVE_EOF) return std::nullopt;
    // A warning is about what is of no interest here: times, owners.
    if (outcome != ARCHIVE_OK && outcome != ARCHIVE_WARN) fail();
    data_begun_ = false;
    MemberHeader header;
    header.ordinal = members_++;
    if (const char* const name = ::archive_entry_pathname(entry)) header.name = name;
    header.kind = kind_of(entry);
    if (::archive_entry_size_is_set(entry) != 0 && ::archive_entry_size(entry) >= 0)
        header.size = static_cast<std::uint64_t>(::archive_entry_size(entry));
    header.encrypted = ::archive_entry_is_data_encrypted(entry) != 0;
    if (header.kind == MemberHeader::Kind::file && header.size && ::archive_entry_sparse_count(entry) == 0)
        header.offset = plain_offset(*header.size, header.header_crc);
    if (header.kind == MemberHeader::Kind::file && header.size && !header.encrypted)
        header.zip_offset = zip_offset();
    if (source_->has_failed()) fail();
    return header;
}

void ArchiveReader::check_dictionary() const {
    constexpr std::string_view is_lzma = "(lzma)";
    const char* const format = ::archive_format_name(archive_.get());
    if (format == nullptr || std::string_view(format).find(is_lzma) == std::string_view::npos) return;
    // Before the data: the version, the length of the properties, and the properties: one byte, and the
    // dictionary's size.
    constexpr std::size_t dictionary_at = 5;
    std::array<unsigned char, dictionary_at + 4> head;
    if (!read_at(*source_, static_cast<std::uint64_t>(::archive_filter_bytes(archive_.get(), 0)), head))
        return;
    std::uint64_t dictionary = 0;
    for (std::size_t i = head.size(); i-- > dictionary_at;) dictionary = dictionary << 8 | head[i];
    if (dictionary > max_unpacker_bytes_) fail_for_memory(dictionary);
}

std::optional<std::uint64_t> ArchiveReader::zip_offset() const {
    constexpr std::string_view is_stored = "(uncompressed)";
    const bool is_zip = (::archive_format(archive_.get()) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_ZIP &&
                        ::archive_filter_code(archive_.get(), 0) == ARCHIVE_FILTER_NONE;
    const char* const format = ::archive_format_name(archive_.get());
    if (!is_zip || format == nullptr || std::string_view(format).find(is_stored) == std::string_view::npos)
        return std::nullopt;
    return static_cast<std::uint64_t>(::archive_filter_bytes(archive_.get(), 0));
}

std::optional<std::uint64_t> ArchiveReader::plain_offset(std::uint64_t size, std::uint32_t& header_crc) {
    const bool is_plain_tar =
        (::archive_format(archive_.get()) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_TAR &&
        ::archive_filter_code(archive_.get(), 0) == ARCHIVE_FILTER_NONE;
    if (!is_plain_tar) return std::nullopt;
    // Behind all headers of the member, of which the last says whether this is so.
    const auto offset = static_cast<std::uint64_t>(::archive_filter_bytes(archive_.get(), 0));
    TarHeader header;
    if (offset < tar_block || !read_at(*source_, offset - tar_block, header) ||
        !is_file_header(header, size)) {
        return std::nullopt;
    }
    header_crc = static_cast<std::uint32_t>(::crc32(0, header.data(), tar_block));
    end_of_member_ = offset + (size + tar_block - 1) / tar_block * tar_block;
    return offset;
}

std::size_t ArchiveReader::read(std::uint8_t* to, std::size_t length) {
    if (!std::exchange(data_begun_, true)) check_dictionary();
    const la_ssize_t count = within_limit([&] { return ::archive_read_data(archive_.get(), to, length); });
    if (count < 0 || source_->has_failed()) fail();
    return static_cast<std::size_t>(count);
}

void ArchiveReader::fail() const {
    if (takes_too_much_) fail_for_memory(max_unpacker_bytes_);
    if (source_->has_failed()) source_->throw_failure();
    const int error = ::archive_errno(archive_.get());
    if (error == ENOMEM) throw std::bad_alloc();
    throw_if_short("the archive '" + path_.string() + "' cannot be read", error);
    throw ImageError(reason_of(archive_.get()));
}

std::string ArchiveReader::missing_end() const {
    if (end_of_member_ == 0 || end_of_member_ < source_->size()) return {};
    return end_of_member_ > source_->size() ? "ends within its last member" : "has no mark at its end";
}

}  // namespace fovea
