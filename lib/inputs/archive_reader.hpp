#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lib/inputs/archive_bytes.hpp"

namespace fovea {

/// A member as its archive describes it.
struct MemberHeader {
    enum class Kind { file, folder, symbolic_link, hard_link, other };

    std::string name;  ///< bytes as stored
    Kind kind = Kind::other;
    std::optional<std::uint64_t> size;  ///< unpacked, as the header states it
    bool encrypted = false;
    std::uint32_t ordinal = 0;  ///< the number of the member, from 0
    /// The offset of the member's bytes in the archive file; nothing if they are packed, in parts, or the
    /// offset is not certain.
    std::optional<std::uint64_t> offset;
    std::uint32_t header_crc = 0;  ///< with an offset: CRC-32 of the 512 bytes before it
    /// The same for members of .zip files that are not packed, without the CRC-32.
    std::optional<std::uint64_t> zip_offset;
};

/// The size of the header before a member's bytes in a .tar file.
constexpr std::size_t tar_block = 512;

/// The default limit for the memory, in bytes, that unpacking an archive takes: a packed stream may ask for a
/// large dictionary, however little it holds. The largest dictionary that xz itself writes fits.
constexpr std::size_t default_unpacker_bytes = std::size_t{1600} << 20;

/// Reads a .tar archive, which may be packed by gzip, bzip2, xz or Zstandard, or a .zip archive from its
/// beginning on, by libarchive and never more than one block ahead. It is a file, or what a command gives.
/// \throws ImageError with the bare reason if the archive is at fault; ShortageError, which names the
/// archive, or std::bad_alloc if the machine or the command is.
class ArchiveReader {
  public:
    /// \param block_bytes         the bytes to read at once
    /// \param max_unpacker_bytes  an archive that takes more memory to unpack is refused; 0: the default
    /// \param stop                as of open_archive_bytes()
    ArchiveReader(const std::filesystem::path& archive, std::size_t block_bytes,
                  std::size_t max_unpacker_bytes = 0, const std::atomic<bool>* stop = nullptr);
    ~ArchiveReader();

    /// The next member; nothing at the end. \throws ImageError if the archive is damaged; then
    /// nothing follows.
    std::optional<MemberHeader> next();

    /// Reads bytes of the member that next() gave last. \return their number: less than `length` only at
    /// its end.
    std::size_t read(std::uint8_t* to, std::size_t length);

    /// At the end of a .tar file that is not packed: the sign that its end is missing, or empty.
    std::string missing_end() const;

  private:
    /// Calls libarchive, which fails if it takes more than it may.
    template <class Call>
    auto within_limit(const Call& call);
    [[noreturn]] void fail() const;
    std::optional<std::uint64_t> zip_offset() const;
    std::optional<std::uint64_t> plain_offset(std::uint64_t size, std::uint32_t& header_crc);
    void check_dictionary() const;

    struct FreeLocale {
        void operator()(void* locale) const;
    };

    const std::filesystem::path path_;
    const std::size_t max_unpacker_bytes_;
    std::ptrdiff_t held_bytes_ = 0;  // by libarchive
    bool takes_too_much_ = false;
    std::unique_ptr<ArchiveBytes> source_;      // outlives the archive
    std::unique_ptr<void, FreeLocale> locale_;  // of the names; outlives the archive
    std::unique_ptr<::archive, int (*)(::archive*)> archive_;
    std::uint32_t members_ = 0;
    bool data_begun_ = false;          // of the member that next() gave last
    std::uint64_t end_of_member_ = 0;  // in a .tar file that is not packed
};

}  // namespace fovea
