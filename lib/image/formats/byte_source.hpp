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

/// Bytes one after the other, from a file, from memory, or unpacked from another source.
class ByteSource {
  public:
    virtual ~ByteSource() = default;

    /// Up to `length` bytes to `to`; fewer only if there are no more. \throws ImageError; ShortageError
    virtual std::size_t read(std::uint8_t* to, std::size_t length) = 0;

  protected:
    ByteSource() = default;
    ByteSource(const ByteSource&) = delete;
    ByteSource& operator=(const ByteSource&) = delete;
};

/// The encoded bytes of one image as they are stored: a file, a member of an archive.
class EncodedFile : public ByteSource {
  public:
    /// All that it gives, as known when it was opened.
    virtual std::size_t size() const = 0;
    /// No more will be read: what others wait for is let go. Call it before the bytes are decoded; the
    /// destructor does the same. \throws ImageError if what was read cannot be trusted.
    virtual void release() {}
    /// The same bytes for reading at any place, until they are released; nothing where they come one after
    /// the other.
    virtual const RandomAccess* random_access() const { return nullptr; }
    /// The picture, once, where it comes decoded, as a frame of a video does: there are no bytes to read
    /// then.
    virtual std::optional<GreyImage> take_decoded() { return std::nullopt; }
    /// True if a picture that came decoded has errors in it.
    virtual bool is_damaged() const { return false; }
};

/// A regular file. Anything else is refused and never waited for: a pipe that nobody writes to among the
/// images must not stop a batch. \throws ImageError if the file is at fault; ShortageError if the machine is.
class FileSource final : public EncodedFile, private RandomAccess {
  public:
    /// How much of it is going to be read, of which the kernel is told.
    enum class Extent { beginning, whole };

    explicit FileSource(const std::filesystem::path& path, Extent extent = Extent::whole);

    std::size_t read(std::uint8_t* to, std::size_t length) override;
    /// When it was opened.
    std::size_t size() const override { return size_; }
    std::size_t read_at(std::uint64_t at, std::uint8_t* to, std::size_t length) const override;
    const RandomAccess* random_access() const override { return this; }
    /// \throws ImageError if the file is not the one that was opened any more: of another size or time of
    /// modification.
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

    /// \throws ImageError, too, if the packed stream is truncated or corrupt.
    std::size_t read(std::uint8_t* to, std::size_t length) override;

  private:
    Unpacker unpacker_;
};

}  // namespace fovea::codec
