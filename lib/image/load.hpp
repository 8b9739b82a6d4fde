#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>

#include "lib/image/bytes.hpp"
#include "lib/image/decode.hpp"
#include "lib/image/image.hpp"

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

/// Reads and decodes a file, see read_grey_image(). From its beginning follow, as a rule, its size and so all
/// that it is going to take: `reserve` is called once, before the rest is read. Otherwise (a TIFF whose
/// directory lies at the end, packed text) it is called for the encoded bytes first, step by step where their
/// number is unknown, and last when the header is there. \throws ImageError
GreyImage load_image(const std::filesystem::path& path, const DecodeOptions& options, const Reserve& reserve);

/// As load_image, from bytes in memory.
GreyImage load_image(Bytes bytes, const DecodeOptions& options);

}  // namespace fovea::codec
