#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "lib/image/buffer_pool.hpp"
#include "lib/image/formats/decode.hpp"
#include "lib/image/image_inputs.hpp"
#include "lib/image/image_location.hpp"
#include "lib/image/loaded_image.hpp"

namespace fovea {

struct PrefetchOptions {
    int threads = 1;                                 ///< decoding threads, >= 1
    std::size_t max_bytes = std::size_t{256} << 20;  ///< memory of the images that wait or are in decoding
    DecodeOptions decode;
    /// Asked, by decoding threads, for every JPEG within max_pixels that is complete (see JpegFrame) and
    /// whose headers are sound: true hands it out as it is, for another decoder. Empty: never.
    std::function<bool(const JpegFrame&)> keep_encoded = nullptr;
    std::size_t first = 0;  ///< the first image handed out; the inputs are opened from there
    /// An image that would take more than this while it is decoded is unreadable; 0 for no limit.
    std::size_t max_image_bytes = 0;
    /// LoadedImage::file is kept, and counts as the picture does.
    bool keep_files = false;
    /// Used for files and pictures; whoever takes an image may give its memory back there. Must outlive the
    /// prefetcher. Null: memory comes from the system.
    BufferPool* buffers = nullptr;
};

/// The work that all threads of a prefetcher together did so far.
struct PrefetchTimes {
    double read_seconds = 0;
    double decode_seconds = 0;
    double wait_seconds = 0;          ///< for memory, for earlier images, for an archive to come to the image
    std::uint64_t encoded_bytes = 0;  ///< read
};

/// Reads and decodes a list of images on threads of its own, ahead of the caller, and hands them out in list
/// order.
///
/// Memory is bounded: an image is only read and begun, in list order, when it fits into max_bytes beside the
/// images in decoding or waiting (the next image to be handed out is always begun, so that one larger than
/// max_bytes passes too). An image in decoding counts with its encoded bytes and all that its decoder holds,
/// a waiting one with its pixels, or its bytes if it is kept encoded; one that was handed out is the
/// caller's. Besides, each thread holds the beginning of a file (256 KiB; packed by gzip or bzip2, up to 5
/// MiB with the state of the unpacker), from which it learns how much that is.
///
/// An image that cannot be read or decoded is handed out as unreadable, if that is its own fault. The list
/// ends if the machine lacks descriptors, memory or a disk that answers. One thread at a time may
/// call next().
class ImagePrefetcher {
  public:
    /// \param inputs  must outlive the prefetcher
    ImagePrefetcher(const ImageInputs& inputs, const PrefetchOptions& options);
    /// Files, and frames of videos; the frames of a video should be in rising order.
    ImagePrefetcher(std::vector<ImageLocation> places, const PrefetchOptions& options);
    /// Files alone.
    ImagePrefetcher(const std::vector<std::filesystem::path>& files, const PrefetchOptions& options)
        : ImagePrefetcher(std::vector<ImageLocation>(files.begin(), files.end()), options) {}
    ~ImagePrefetcher();  ///< stops and joins; images not handed out are dropped
    ImagePrefetcher(const ImagePrefetcher&) = delete;
    ImagePrefetcher& operator=(const ImagePrefetcher&) = delete;

    /// The next image in order; waits for it. Empty at the end of the list. \throws ShortageError where a
    /// shortage ended the list: every image before it was handed out.
    std::optional<LoadedImage> next();

    /// The most bytes that were charged at any time: at most max_bytes, or the need of the largest image.
    std::size_t peak_bytes() const;

    /// May be called at any time, from any thread.
    PrefetchTimes times() const;

  private:
    class Implementation;
    std::unique_ptr<const ImageInputs> files_;  // where it was given places; its threads end before
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace fovea
