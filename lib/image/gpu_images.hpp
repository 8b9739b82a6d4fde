#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernels/core/buffer.hpp"
#include "kernels/core/queued_work.hpp"
#include "lib/image/nvjpeg.hpp"
#include "lib/image/prefetch.hpp"

namespace fovea {

/// The images of a batch in a GPU's memory, turned for display. The memory is kept from batch to batch.
class ResidentImages {
  public:
    /// [image]: 8-bit grey on the GPU; an empty view if the image is unreadable.
    std::span<const ImageView<const std::uint8_t>> views() const { return views_; }

    /// Waits until the images are there. \throws DeviceError
    void wait() const { loading_.wait(); }

    /// Copies an image to the host, once it is there.
    GreyImage to_host(const Device& device, std::size_t image) const;

  private:
    friend class GpuImageLoader;
    friend class GpuFrameLoader;

    /// Makes room. A batch of few or small images after one of large ones gives memory back.
    void reserve(const Device& device, std::size_t bytes);

    Buffer<std::uint8_t> pixels_;
    std::vector<ImageView<const std::uint8_t>> views_;
    QueuedWork loading_;
};

/// Copies images from a device to the host, one after the other into the same memory: new memory would take
/// several times as long as the copy.
class HostCopy {
  public:
    /// Copies an image. \return the image, valid until the next call. \throws DeviceError
    const GreyImage& bring(const Device& device, const ImageView<const std::uint8_t>& view);

  private:
    std::vector<std::uint8_t> rows_;
    GreyImage image_;
};

/// Counts images that were loaded, and the thread's time.
struct GpuLoadCounts {
    std::size_t by_nvjpeg = 0;
    std::size_t refused = 0;  ///< nvJPEG refused them, and the CPU decoded them
    double decode_seconds = 0;
    double upload_seconds = 0;  ///< for images that were decoded on the CPU
};

/// True if nvJPEG with this backend decodes such files. The CPU decodes others: progressive files, files in
/// several scans, uncommon subsampling, CMYK and RGB, sides above the engines' limit.
bool nvjpeg_takes(const JpegFrame& frame, NvJpegBackend backend);

/// Copies decoded images, and decodes JPEG files, into one GPU's memory. One thread at a time may use it.
class GpuImageLoader {
  public:
    /// \param gpu      CUDA's number
    /// \param backend  decodes JPEG files; none: all images come decoded
    /// \throws NvJpegUnavailable, DeviceError
    GpuImageLoader(int gpu, std::optional<NvJpegBackend> backend, const DecodeOptions& options);
    ~GpuImageLoader();
    GpuImageLoader(const GpuImageLoader&) = delete;
    GpuImageLoader& operator=(const GpuImageLoader&) = delete;

    /// Decodes and uploads all readable images. They are on the GPU, and their memory on the host is free to
    /// use, after ResidentImages::wait(); meanwhile the next images can be loaded elsewhere. The CPU decodes
    /// a JPEG that nvJPEG refuses after all, or says what is wrong with it.
    /// \throws std::bad_alloc if the GPU has no room for them; DeviceError
    GpuLoadCounts load(std::vector<LoadedImage>& images, ResidentImages& resident);

    const Device& device() const;

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace fovea
