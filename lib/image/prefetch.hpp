#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/image/decode.hpp"

namespace fovea {

struct PrefetchOptions {
    int threads = 1;                                 ///< decoding threads, >= 1
    std::size_t max_bytes = std::size_t{256} << 20;  ///< memory of the images that wait or are in decoding
    DecodeOptions decode;
};

/// One decoded image, or why there is none.
struct LoadedImage {
    std::size_t index = 0;   ///< position in the list given to the prefetcher
    GreyImage image;         ///< empty if unreadable
    std::string unreadable;  ///< the reason; empty if decoded
};

/// Decodes a list of files on threads of its own, ahead of the caller, and hands them out in list order.
///
/// Memory is bounded: an image is only read and begun, in list order, when it fits into max_bytes beside the
/// images in decoding or waiting (the next image to be handed out is always begun, so that one larger than
/// max_bytes passes too). An image in decoding counts with its encoded bytes and all that its decoder holds,
/// a waiting one with its pixels; one that was handed out is the caller's. Besides, each thread holds the
/// beginning of a file (256 KiB; packed by gzip or bzip2, up to 5 MiB with the state of the unpacker), from
/// which it learns how much that is.
///
/// An image that cannot be read or decoded, for whatever reason (memory too), is handed out as unreadable.
/// One thread at a time may call next().
class ImagePrefetcher {
  public:
    ImagePrefetcher(std::vector<std::filesystem::path> paths, const PrefetchOptions& options);
    ~ImagePrefetcher();  ///< stops and joins; images not handed out are dropped
    ImagePrefetcher(const ImagePrefetcher&) = delete;
    ImagePrefetcher& operator=(const ImagePrefetcher&) = delete;

    /// The next image in order; waits for it. Empty at the end of the list.
    std::optional<LoadedImage> next();

    /// The most bytes that were charged at any time: at most max_bytes, or the need of the largest image.
    std::size_t peak_bytes() const;

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace fovea
