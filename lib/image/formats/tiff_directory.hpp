#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "lib/image/formats/bytes.hpp"
#include "lib/image/formats/random_access.hpp"

namespace fovea::codec {

/// An image file directory of a TIFF stream (a TIFF file, or the body of an EXIF block).
/// Every access is bounded by the stream. \throws ImageError where it points outside of it.
class TiffDirectory {
  public:
    struct Entry {
        std::uint32_t tag = 0;
        std::uint32_t type = 0;  ///< as stored: 3 SHORT, 4 LONG, ...
        std::uint32_t count = 0;
        std::size_t value_at = 0;  ///< offset of the first value in the stream
    };

    /// The first one. \param stream  must outlive the directory; read where values are asked for
    explicit TiffDirectory(const RandomAccess& stream);
    /// The one at an offset.
    TiffDirectory(const RandomAccess& stream, std::size_t at);

    std::size_t at() const { return at_; }
    std::size_t tags() const { return entries_.size(); }

    const Entry* find(std::uint32_t tag) const;
    /// The first value of a tag; empty if the tag is absent or not a whole number. Whole numbers may have any
    /// width; 0xffffffff stands for larger ones, and negative ones are read as if unsigned.
    std::optional<std::uint32_t> value(std::uint32_t tag) const;
    /// How many values a tag of whole numbers has; 0 if it is absent or another. \throws ImageError if they
    /// lie outside of the stream
    std::size_t count(std::uint32_t tag) const;
    /// `length` values of a tag from `first` on, which are among its count().
    std::vector<std::uint32_t> values(std::uint32_t tag, std::size_t first, std::size_t length) const;
    /// Bytes of all values of all tags that are of a known type, as far as the stream can hold them, but for
    /// those tags.
    std::int64_t value_bytes_but_for(std::span<const std::uint32_t> tags) const;
    /// Replaces the first value of a tag in `stream`, a copy of the stream that the directory was read from.
    /// Nothing happens where value() would be empty or fail.
    void set_first_value(std::span<std::uint8_t> stream, std::uint32_t tag, std::uint8_t value) const;
    /// Offset of the next directory; 0 behind the last one.
    std::size_t next() const;

  private:
    std::vector<std::uint8_t> read(std::uint64_t at, std::size_t length) const;
    std::uint32_t number(Bytes bytes, std::size_t size) const;

    const RandomAccess* stream_;
    ByteOrder order_;
    std::size_t at_ = 0;
    std::vector<Entry> entries_;
};

/// The picture that a TIFF file stands for, and how many it has.
struct TiffPages {
    TiffDirectory picture;
    int count = 1;
};

/// The first page. Directories of reduced pictures (thumbnails) and of masks are no pages, unless there is
/// nothing else; the full picture of such a directory may be in a directory below it (SubIFDs). Pages behind
/// a directory that cannot be read are not counted. \throws ImageError
TiffPages find_tiff_pages(const RandomAccess& stream);

}  // namespace fovea::codec
