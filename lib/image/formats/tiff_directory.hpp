#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/image/formats/bytes.hpp"
#include "lib/image/formats/random_access.hpp"

namespace fovea::codec {

/// An image file directory of a TIFF stream (a TIFF file, or the body of an EXIF block). All functions throw
/// ImageError if the directory points outside of the stream.
class TiffDirectory {
  public:
    struct Entry {
        std::uint32_t tag = 0;
        std::uint32_t type = 0;  ///< TIFF's number: 3 SHORT, 4 LONG, ...
        std::uint32_t count = 0;
        std::size_t value_at = 0;  ///< offset of the first value in the stream
    };

    /// Reads the first directory. \param stream must outlive this; values are read when they are asked for.
    explicit TiffDirectory(const RandomAccess& stream);
    /// Reads the directory at an offset.
    TiffDirectory(const RandomAccess& stream, std::size_t at);

    /// The directory's offset.
    std::size_t at() const { return at_; }
    /// The number of tags.
    std::size_t tags() const { return entries_.size(); }

    /// Null if the tag is absent.
    const Entry* find(std::uint32_t tag) const;
    /// The first value of a tag; nothing if the tag is absent or no whole number. Whole numbers of any width
    /// are read: larger ones become 0xffffffff, negative ones are taken as unsigned.
    std::optional<std::uint32_t> value(std::uint32_t tag) const;
    /// The number of values of a tag; 0 if it is absent or has no whole numbers.
    std::size_t count(std::uint32_t tag) const;
    /// `length` values of a tag from number `first` on; all must be among its count().
    std::vector<std::uint32_t> values(std::uint32_t tag, std::size_t first, std::size_t length) const;
    /// At most `longest` characters of a tag of text; nothing if the tag is absent or holds no text.
    std::optional<std::string> text(std::uint32_t tag, std::size_t longest) const;
    /// The bytes of the values of all tags but `tags`, as far as their types are known and the stream can
    /// hold them.
    std::int64_t value_bytes_but_for(std::span<const std::uint32_t> tags) const;
    /// Replaces the first value of a tag in `stream`, a copy of the stream that the directory was read from.
    /// Nothing happens if value() would be empty or fail.
    void set_first_value(std::span<std::uint8_t> stream, std::uint32_t tag, std::uint8_t value) const;
    /// The offset of the next directory; 0 if this is the last one.
    std::size_t next() const;

  private:
    std::vector<std::uint8_t> read(std::uint64_t at, std::size_t length) const;
    std::uint32_t number(Bytes bytes, std::size_t size) const;

    const RandomAccess* stream_;
    ByteOrder order_;
    std::size_t at_ = 0;
    std::vector<Entry> entries_;
};

/// The picture that a TIFF file stands for, and the number of its pages.
struct TiffPages {
    TiffDirectory picture;
    int count = 1;
};

/// Finds the first page of a TIFF. Directories of reduced pictures (thumbnails) and masks are no pages unless
/// there is nothing else; their full picture may be in a directory below them (SubIFDs). Pages behind a
/// directory that cannot be read are not counted. \throws ImageError
TiffPages find_tiff_pages(const RandomAccess& stream);

}  // namespace fovea::codec
