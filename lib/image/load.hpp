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

/// Is called before an image takes memory. `bytes`: the total that it takes from now on, for the encoded
/// bytes, the decoder and the grey result. `last`: it is the last call for this image. It may wait; its
/// exceptions pass through load_image().
using Reserve = std::function<void(std::size_t bytes, bool last)>;

/// The most bytes that load_image() takes before it calls Reserve: the beginning of the file, the beginning
/// of its packed content, and the state of zlib or bzip2.
constexpr std::size_t unreserved_bytes = std::size_t{5} << 20;

/// The bytes of a file that are read, and unpacked, to find its header.
constexpr std::size_t prefix_bytes = std::size_t{256} << 10;

struct LoadOptions {
    DecodeOptions decode;
    /// Is called for JPEG files that are complete (see JpegFrame) and have sound headers: true keeps them
    /// encoded. Empty: none is kept.
    std::function<bool(const JpegFrame&)> keep_encoded = nullptr;
    /// An image that would take more memory is unreadable; 0 = no limit.
    std::size_t max_bytes = 0;
    /// Gives memory for files and JPEG pictures; null: the system does.
    BufferPool* buffers = nullptr;
    /// Keep LoadedImage::file.
    bool keep_file = false;
};

/// Reads and decodes one image, see read_grey_image(), or keeps it encoded. Usually its beginning tells all
/// memory that it takes: `reserve` is called once, before the rest is read. Otherwise (a packed text or
/// packed TIFF whose directory lies at its end; a JPEG that fits the limit on memory only while it stays
/// encoded) `reserve` is called for the encoded bytes first, step by step if their number is unknown, and
/// last when the header is known.
/// \param loaded gets all members but `index` and `unreadable`; times and number of bytes also after
/// an error.
/// \throws ImageError if the image is at fault; ShortageError or std::bad_alloc if the machine is.
void load_image(EncodedFile& file, const LoadOptions& options, const Reserve& reserve, LoadedImage& loaded);

/// Reads and decodes a file; calls and errors are as above.
GreyImage load_image(const std::filesystem::path& path, const DecodeOptions& options, const Reserve& reserve);

/// Decodes the bytes of a file; errors are as above.
GreyImage load_image(Bytes bytes, const DecodeOptions& options);

}  // namespace fovea::codec
