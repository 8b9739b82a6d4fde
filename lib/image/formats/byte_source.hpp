#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "lib/files/descriptor.hpp"
#include "lib/files/unpacker.hpp"
#include "lib/image/formats/bytes.hpp"
#include "lib/image/formats/format.hpp"
#include "lib/image/formats/image.hpp"
#include "lib/image/formats/random_access.hpp"

namespace fovea::codec {

/// Gives bytes one after the other: from a file, from memory, or unpacked from another source.
class ByteSource {
  public:
    virtual ~ByteSource() = default;

    /// Reads up to `length` bytes into `to`. \return their number; fewer only at the end.
    /// \throws ImageError; ShortageError
    virtual std::size_t read(std::uint8_t* to, std::size_t length) = 0;

  protected:
    ByteSource() = default;
    ByteSource(const ByteSource&) = delete;
    ByteSource& operator=(const ByteSource&) = delete;
};

/// The stored bytes of one image: a file, or a member of an archive.
class EncodedFile : public ByteSource {
  public:
    /// The number of bytes when the file was opened.
    virtual std::size_t size() const = 0;
    /// Ends reading, so that others need not wait. Call it before the bytes are decoded; the destructor does
    /// it, too. \throws ImageError if the bytes that were read cannot be trusted.
    virtual void release() {}
    /// The bytes for reading at any place, until release(); null if they come one after the other.
    virtual const RandomAccess* random_access() const { return nullptr; }
    /// The picture, at the first call, if it comes decoded, without bytes: a frame of a video.
    virtual std::optional<GreyImage> take_decoded() { return std::nullopt; }
    /// True if the decoder of take_decoded()'s picture met errors in it.
    virtual bool is_damaged() const { return false; }
};

/// All bytes of a file, or of a member of an archive, whatever size it states; releases the file.
/// \throws ImageError; ShortageError
std::vector<std::uint8_t> read_whole(EncodedFile& file);

/// A regular file. Anything else is refused: a pipe among the images must not stop a batch.
/// \throws ImageError if the file is at fault; ShortageError if the machine is.
class FileSource final : public EncodedFile, private RandomAccess {
  public:
    /// The part that is going to be read: a hint for the kernel.
    enum class Extent { beginning, whole };

    explicit FileSource(const std::filesystem::path& path, Extent extent = Extent::whole);

    std::size_t read(std::uint8_t* to, std::size_t length) override;
    std::size_t size() const override { return size_; }
    std::size_t read_at(std::uint64_t at, std::uint8_t* to, std::size_t length) const override;
    const RandomAccess* random_access() const override { return this; }
    /// \throws ImageError if the file's size or time of modification has changed since it was opened.
    void release() override;

  private:
    std::filesystem::path path_;
    FileDescriptor file_;
    std::size_t size_ = 0;
    std::timespec modified_{};
};

class MemorySource final : public ByteSource {
  public:
    explicit MemorySource(Bytes bytes) : bytes_(bytes) {}

    std::size_t read(std::uint8_t* to, std::size_t length) override;

  private:
    Bytes bytes_;
};

/// Unpacks another source.
class UnpackedSource final : public ByteSource {
  public:
    /// \param format  gzip or bzip2
    /// \param begin   the first bytes of the packed stream
    /// \param rest    gives the others; must outlive this one
    UnpackedSource(ImageFormat format, std::vector<std::uint8_t> begin, ByteSource& rest);

    /// \throws ImageError also if the packed stream is truncated or corrupt.
    std::size_t read(std::uint8_t* to, std::size_t length) override;

  private:
    Unpacker unpacker_;
};

}  // namespace fovea::codec
