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
    std::size_t max_bytes = std::size_t{256} << 20;  ///< memory of images that wait or are being decoded
    DecodeOptions decode;
    /// Decoding threads call it for every JPEG within max_pixels that is complete (see JpegFrame) and has
    /// sound headers: true hands the JPEG out encoded, for another decoder. Empty: none is.
    std::function<bool(const JpegFrame&)> keep_encoded = nullptr;
    std::size_t first = 0;  ///< the index of the first image to hand out
    /// An image that would take more memory than this while it is decoded is unreadable; 0 = no limit.
    std::size_t max_image_bytes = 0;
    /// Keep LoadedImage::file, which counts in max_bytes as the picture does.
    bool keep_files = false;
    /// Gives memory for files and pictures; whoever takes an image may give its memory back to it. Must
    /// outlive the prefetcher. Null: the system gives memory.
    BufferPool* buffers = nullptr;
};

/// The time and bytes of all threads of a prefetcher together so far.
struct PrefetchTimes {
    double read_seconds = 0;
    double decode_seconds = 0;
    double wait_seconds = 0;          ///< waiting for memory, earlier images, or an archive's turn
    std::uint64_t encoded_bytes = 0;  ///< bytes that were read
};

/// Reads and decodes a list of images on threads of its own, ahead of the caller, in the list's order.
///
/// Memory is bounded: images are begun in the list's order, each when it fits into max_bytes beside the
/// images that wait or are being decoded. The next image to hand out is always begun, so one that is larger
/// than max_bytes passes, too. An image being decoded counts with its encoded bytes and the decoder's memory,
/// a waiting one with its pixels, or its bytes if it is kept encoded; images that were handed out do not
/// count. In addition, each thread holds the beginning of a file (256 KiB; for packed files up to 5 MiB with
/// the unpacker's state), from which it learns the image's need.
///
/// An image that cannot be read or decoded by its own fault is handed out as unreadable. If the machine lacks
/// descriptors, memory or a disk that answers, the list ends. One thread at a time may call next().
class ImagePrefetcher {
  public:
    /// \param inputs must outlive the prefetcher.
    ImagePrefetcher(const ImageInputs& inputs, const PrefetchOptions& options);
    /// Reads files and frames of videos; the frames of a video should be in rising order.
    ImagePrefetcher(std::vector<ImageLocation> places, const PrefetchOptions& options);
    /// Reads files.
    ImagePrefetcher(const std::vector<std::filesystem::path>& files, const PrefetchOptions& options)
        : ImagePrefetcher(std::vector<ImageLocation>(files.begin(), files.end()), options) {}
    /// Stops and joins the threads; images that were not handed out are dropped.
    ~ImagePrefetcher();
    ImagePrefetcher(const ImagePrefetcher&) = delete;
    ImagePrefetcher& operator=(const ImagePrefetcher&) = delete;

    /// Waits for the next image. \return nothing at the end of the list. \throws ShortageError if a shortage
    /// ended the list; then all images before it were handed out.
    std::optional<LoadedImage> next();

    /// The most bytes that were counted at any time: at most max_bytes, or the need of the largest image.
    std::size_t peak_bytes() const;

    /// The work so far; any thread may call it at any time.
    PrefetchTimes times() const;

  private:
    class Implementation;
    std::unique_ptr<const ImageInputs> files_;  // made from places; outlives the threads
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace fovea
