#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernels/core/buffer.hpp"
#include "lib/image/nvjpeg.hpp"
#include "lib/image/prefetch.hpp"

namespace fovea {

/// The images of a batch in a GPU's memory, as they are to be displayed. The memory is kept from batch to
/// batch.
class ResidentImages {
  public:
    /// [image]: 8-bit grey on the GPU; empty views of images that are unreadable.
    std::span<const ImageView<const std::uint8_t>> views() const { return views_; }

    /// One of them, brought back to the host.
    GreyImage to_host(const Device& device, std::size_t image) const;

  private:
    friend class GpuImageLoader;
    friend class GpuFrameLoader;

    /// Makes room. A batch of few or small images after one of large ones gives memory back.
    void reserve(const Device& device, std::size_t bytes);

    Buffer<std::uint8_t> pixels_;
    std::vector<ImageView<const std::uint8_t>> views_;
};

/// Brings images of a device's memory to the host, one after the other into the same memory: new memory would
/// take several times as long as the copy.
class HostCopy {
  public:
    /// \return the image; valid until the next call. \throws DeviceError
    const GreyImage& bring(const Device& device, const ImageView<const std::uint8_t>& view);

  private:
    std::vector<std::uint8_t> rows_;
    GreyImage image_;
};

/// How many images were decoded by whom, and how long it took the thread.
struct GpuLoadCounts {
    std::size_t by_nvjpeg = 0;
    std::size_t refused = 0;  ///< by nvJPEG, and decoded on the CPU
    double decode_seconds = 0;
    double upload_seconds = 0;  ///< of images that were decoded on the CPU
};

/// True if nvJPEG with this backend decodes such files: what it does with them depends on nothing else.
/// Others are for the CPU: progressive ones and those in several scans, uncommon subsampling, CMYK and RGB,
/// sides above the engines' limit.
bool nvjpeg_takes(const JpegFrame& frame, NvJpegBackend backend);

/// Brings decoded images and JPEG files to one GPU. For one thread at a time.
class GpuImageLoader {
  public:
    /// \param backend  that decodes JPEG files; none: all images come decoded.
    /// \throws NvJpegUnavailable, DeviceError
    GpuImageLoader(int gpu, std::optional<NvJpegBackend> backend, const DecodeOptions& options);
    ~GpuImageLoader();
    GpuImageLoader(const GpuImageLoader&) = delete;
    GpuImageLoader& operator=(const GpuImageLoader&) = delete;

    /// Decodes and uploads all readable images; is done when it returns, and does not need what the images
    /// hold on the host any more. A JPEG that nvJPEG refuses after all is decoded on the CPU, which then also
    /// says what is wrong with it.
    /// \throws std::bad_alloc if the GPU has no room for them; DeviceError.
    GpuLoadCounts load(std::vector<LoadedImage>& images, ResidentImages& resident);

    const Device& device() const;

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace fovea
