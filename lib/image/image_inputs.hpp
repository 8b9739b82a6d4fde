#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "lib/image/formats/byte_source.hpp"

namespace fovea {

/// Encoded images by number, wherever they lie: files, members of archives.
class ImageInputs {
  public:
    virtual ~ImageInputs() = default;

    virtual std::size_t size() const = 0;

    /// How messages name an image.
    virtual std::string name(std::size_t index) const = 0;

    /// True if images must be opened in rising order, see open(). Files need not: opening one on a slow disk
    /// does not hold up the others.
    virtual bool in_order() const { return true; }

    /// The encoded bytes of one image, from its first one on. May be called from several threads at once,
    /// once for each image. It waits until the bytes of the image before are released (see
    /// EncodedFile::release()) if images can be read only one after the other, as the members of an archive
    /// can; images must then be opened in rising order (by any threads), each of them, from the first one
    /// opened on, or skipped in rising order.
    /// \throws ImageError if it cannot be opened; ShortageError if that is the machine's fault.
    virtual std::unique_ptr<codec::EncodedFile> open(std::size_t index) const = 0;

    /// Instead of open(): the image is not wanted, those behind it need not wait for it.
    virtual void skip(std::size_t /*index*/) const {}

    /// Whoever waits in open(), now or later, is let go with an ImageError.
    virtual void stop() const {}
};

}  // namespace fovea
