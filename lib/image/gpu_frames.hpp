#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/core/buffer.hpp"
#include "lib/image/gpu_images.hpp"
#include "lib/video/nvdec.hpp"

namespace fovea {

/// Copies frames that a GPU decoded into the memory of a batch, as grey images turned for display. One thread
/// at a time may use it.
class GpuFrameLoader {
  public:
    /// \param device holds the frames; must outlive the loader.
    explicit GpuFrameLoader(const Device& device) : device_(device) {}

    /// Begins a batch of up to `frames` images. \param stored the size of a frame before it is turned.
    /// \param orientation EXIF's, 1 to 8.
    /// \throws std::bad_alloc if the GPU has no room; DeviceError
    void begin(ResidentImages& resident, std::size_t frames, Size stored, int orientation);
    /// Queues the copy of the next image of the batch on the device's stream. \param frame of begin()'s size.
    void add(ResidentImages& resident, const LumaPlane& frame);
    /// Adds an empty view: the next image of the batch is unreadable.
    static void add_none(ResidentImages& resident);
    /// Waits until all images are there.
    void finish() const { device_.synchronize(); }

  private:
    ImageView<std::uint8_t> place_of(const ResidentImages& resident) const;

    const Device& device_;
    Size displayed_;
    int orientation_ = 1;
    std::size_t added_ = 0;
    Buffer<std::uint8_t> stored_;  // a frame that is to be turned
};

}  // namespace fovea
