#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>

#include "lib/image/buffer_pool.hpp"
#include "lib/image/formats/byte_source.hpp"
#include "lib/image/formats/bytes.hpp"
#include "lib/image/formats/decode.hpp"
#include "lib/image/loaded_image.hpp"

namespace fovea::codec {

/// Asked before an image takes memory. `bytes` is what it takes in all from now on: the encoded bytes, what
/// its decoder holds, and the grey result. `last`: it will not ask again. May wait; an exception passes
/// through load_image().
using Reserve = std::function<void(std::size_t bytes, bool last)>;

/// Without having asked, load_image() takes no more than this: the beginning of the file, the beginning of
/// what is packed in it, and the state of zlib or bzip2.
constexpr std::size_t unreserved_bytes = std::size_t{5} << 20;

/// How much of a file is read, and unpacked, to find its header.
constexpr std::size_t prefix_bytes = std::size_t{256} << 10;

struct LoadOptions {
    DecodeOptions decode;
    /// Asked for JPEG files that are complete (see JpegFrame) and whose headers are sound: true keeps them
    /// encoded. Empty: never.
    std::function<bool(const JpegFrame&)> keep_encoded = nullptr;
    /// An image that would take more is unreadable; 0 for no limit.
    std::size_t max_bytes = 0;
    /// The source of memory for files and JPEG pictures; null: the system.
    BufferPool* buffers = nullptr;
    /// LoadedImage::file is kept.
    bool keep_file = false;
};

/// Reads and decodes one image, see read_grey_image(), or keeps it encoded. From its beginning follow, as a
/// rule, its size and so all that it is going to take: `reserve` is called once, before the rest is read.
/// Otherwise (text, or a TIFF whose directory lies at the end, that is packed; a JPEG that fits the limit on
/// memory only while it stays encoded) it is called for the encoded bytes first, step by step where their
/// number is unknown, and last when the header is there.
/// \param loaded  gets everything but the index and, as ImageError is thrown, `unreadable`; the times and the
/// number of bytes also where it fails
/// \throws ImageError if the image is at fault; ShortageError or std::bad_alloc if the machine is
void load_image(EncodedFile& file, const LoadOptions& options, const Reserve& reserve, LoadedImage& loaded);

/// The same of a file, decoded only.
GreyImage load_image(const std::filesystem::path& path, const DecodeOptions& options, const Reserve& reserve);

/// The same of bytes in memory.
GreyImage load_image(Bytes bytes, const DecodeOptions& options);

}  // namespace fovea::codec
