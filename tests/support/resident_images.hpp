#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/core/buffer.hpp"
#include "kernels/core/device.hpp"
#include "kernels/core/image_batch.hpp"
#include "lib/image/formats/image.hpp"

namespace fovea::test {

/// Images in a GPU's memory, each in an allocation of its own that ends with its last pixel, from a byte
/// `shift` on and with `gap` bytes between its rows.
class ResidentImages {
  public:
    ResidentImages(const Device& device, std::span<const GreyImage> images, int shift = 0, int gap = 0)
        : gpu_(device.index()) {
        const auto guard = static_cast<std::uint8_t>(0x65 * (shift + gap));
        for (const GreyImage& image : images) {
            const int stride = image.width + gap;
            std::vector<std::uint8_t> rows(static_cast<std::size_t>(shift), guard);
            for (int y = 0; y < image.height; ++y) {
                if (y > 0) rows.insert(rows.end(), static_cast<std::size_t>(gap), guard);
                rows.insert(rows.end(), image.view().row(y), image.view().row(y) + image.width);
            }
            buffers_.emplace_back(device, rows.size());
            buffers_.back().upload(rows.data(), rows.size());
            views_.push_back({buffers_.back().data() + shift, image.width, image.height, stride});
        }
        device.synchronize();
    }

    ImageBatch batch() const { return {views_, gpu_}; }

  private:
    int gpu_;
    std::vector<Buffer<std::uint8_t>> buffers_;
    std::vector<ImageView<const std::uint8_t>> views_;
};

}  // namespace fovea::test
