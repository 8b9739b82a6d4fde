#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "lib/image/formats/byte_source.hpp"

namespace fovea {

/// Encoded images by number: files, members of archives, frames of videos.
class ImageInputs {
  public:
    virtual ~ImageInputs() = default;

    virtual std::size_t size() const = 0;

    /// The name of an image in messages.
    virtual std::string name(std::size_t index) const = 0;

    /// True if images must be opened in rising order, see open(). Files need no order: opening one on a slow
    /// disk does not hold up the others.
    virtual bool in_order() const { return true; }

    /// Opens an image at its first byte. Several threads may call this at once, once for each image. If
    /// images can be read only one after the other, as members of an archive, each image from the first one
    /// opened on must be opened or skipped, in rising order, by any threads; a call then waits until the
    /// image before it is released (EncodedFile::release()).
    /// \throws ImageError if it cannot be opened; ShortageError if that is the machine's fault.
    virtual std::unique_ptr<codec::EncodedFile> open(std::size_t index) const = 0;

    /// Passes over an image instead of open(): later ones do not wait for it.
    virtual void skip(std::size_t /*index*/) const {}

    /// Makes all calls that wait in open(), now or later, throw ImageError.
    virtual void stop() const {}
};

}  // namespace fovea
