#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "lib/files/descriptor.hpp"

struct archive;

namespace fovea {

/// Opens a regular file for reading. \throws ImageError with the reason if the file is at fault, or is not a
/// regular one; ShortageError
FileDescriptor open_archive_file(const std::filesystem::path& file);

/// The bytes of an archive, for libarchive. Its own readers will not do: where it guesses the format, an
/// error becomes "unrecognised", and errno is lost.
class ArchiveBytes {
  public:
    virtual ~ArchiveBytes() = default;

    /// Gives libarchive its functions.
    virtual void connect(::archive* archive) = 0;
    /// Reads bytes wherever they lie. \return true if all were read; false if not, or if they have passed by.
    virtual bool read_at(std::uint64_t offset, std::span<char> bytes) = 0;
    /// The size of the file; 0 if there is none.
    virtual std::uint64_t size() const = 0;
    /// True once bytes could not be had.
    virtual bool has_failed() const = 0;
    /// Tells why: ImageError if the archive is at fault, ShortageError if something else is.
    [[noreturn]] virtual void throw_failure() const = 0;
};

/// Opens an archive: a file, or the output of a command (is_archive_command()).
/// \param block_bytes the bytes to read at once \param stop ends the waiting for a command when it becomes
/// true; may be null. \throws as open_archive_file(); Error if the command cannot be started.
std::unique_ptr<ArchiveBytes> open_archive_bytes(const std::filesystem::path& archive,
                                                 std::size_t block_bytes, const std::atomic<bool>* stop);

}  // namespace fovea
