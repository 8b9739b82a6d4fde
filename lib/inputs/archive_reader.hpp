#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lib/files/descriptor.hpp"

struct archive;

namespace fovea {

/// A member as its archive describes it.
struct MemberHeader {
    enum class Kind { file, folder, symbolic_link, hard_link, other };

    std::string name;  ///< bytes as stored
    Kind kind = Kind::other;
    std::optional<std::uint64_t> size;  ///< unpacked; as stated
    bool encrypted = false;
    std::uint32_t ordinal = 0;  ///< from 0
    /// The place where the bytes lie in the archive file as they are; nothing if they are packed, in parts,
    /// or it is not certain.
    std::optional<std::uint64_t> offset;
    std::uint32_t header_crc = 0;  ///< with an offset: CRC-32 of the 512 bytes before it
};

/// A file that is opened for reading if it is a regular one. \throws ImageError with the reason;
/// ShortageError
FileDescriptor open_archive_file(const std::filesystem::path& file);

/// The size of the header before a member's bytes in a .tar file.
constexpr std::size_t tar_block = 512;

/// The most memory, in bytes, that unpacking an archive may take where nothing else is said: dictionaries and
/// windows may be asked for whole, however little they are to unpack. The largest that xz itself writes.
constexpr std::size_t default_unpacker_bytes = std::size_t{1600} << 20;

/// Reads a .tar archive, also one packed by gzip, bzip2, xz or Zstandard, or a .zip archive, from its
/// beginning on: by libarchive, never more than one block ahead. Failures are ImageErrors with the bare
/// reason where the archive is at fault, ShortageErrors that name it and std::bad_alloc where the machine is.
class ArchiveReader {
  public:
    /// \param block_bytes  read at once
    /// \param max_unpacker_bytes  an archive that takes more to be unpacked is refused; 0: the default
    ArchiveReader(const std::filesystem::path& file, std::size_t block_bytes,
                  std::size_t max_unpacker_bytes = 0);
    ~ArchiveReader();

    /// The next member; nothing at the end. \throws ImageError if the archive is damaged: nothing can follow.
    std::optional<MemberHeader> next();

    /// Bytes of the member that next() gave last: fewer than `length` only at its end.
    std::size_t read(std::uint8_t* to, std::size_t length);

    /// At the end of a .tar file that is not packed: what tells that it is not all there; empty if nothing
    /// does.
    std::string missing_end() const;

  private:
    class Source;

    /// Calls libarchive, which fails if it takes more than it may.
    template <class Call>
    auto within_limit(const Call& call);
    [[noreturn]] void fail() const;
    std::optional<std::uint64_t> plain_offset(std::uint64_t size, std::uint32_t& header_crc);
    void check_dictionary() const;

    struct FreeLocale {
        void operator()(void* locale) const;
    };

    std::filesystem::path file_;
    const std::size_t max_unpacker_bytes_;
    std::ptrdiff_t held_bytes_ = 0;  // by libarchive
    bool takes_too_much_ = false;
    std::unique_ptr<Source> source_;            // outlives the archive
    std::unique_ptr<void, FreeLocale> locale_;  // of the names; outlives the archive
    std::unique_ptr<::archive, int (*)(::archive*)> archive_;
    std::uint32_t members_ = 0;
    bool data_begun_ = false;          // of the member that next() gave last
    std::uint64_t end_of_member_ = 0;  // in a .tar file that is not packed
};

}  // namespace fovea
