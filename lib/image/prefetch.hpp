#pragma once

#include "lib/image/decode.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fovea {

struct PrefetchOptions {
    int threads = 1;                              ///< decoding threads, >= 1
    std::size_t max_bytes = std::size_t{256} << 20;  ///< decoded pixels that may wait or be in decoding
    DecodeOptions decode;
};

/// One decoded image, or why there is none.
struct LoadedImage {
    std::size_t index = 0;    ///< position in the list given to the prefetcher
    GreyImage image;          ///< empty if unreadable
    std::string unreadable;   ///< the reason; empty if decoded
};

/// Decodes a list of files on threads of its own, ahead of the caller, and hands them out in list order.
///
/// Memory is bounded: a further image is only begun while the images in decoding or waiting hold less than
/// max_bytes (the next image in order is always begun, so that one larger than max_bytes passes too).
class ImagePrefetcher {
  public:
    ImagePrefetcher(std::vector<std::filesystem::path> paths, const PrefetchOptions& options);
    ~ImagePrefetcher();  ///< stops and joins; images not handed out are dropped
    ImagePrefetcher(const ImagePrefetcher&) = delete;
    ImagePrefetcher& operator=(const ImagePrefetcher&) = delete;

    /// The next image in order; waits for it. Empty at the end of the list.
    std::optional<LoadedImage> next();

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace fovea
