#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/core/view.hpp"

namespace fovea {

/// Images that one call works on, and where they lie: 8-bit grey, any sizes, strides and alignment. The batch
/// does not own them. Until the call returns they must not change, and no work that writes them may be
/// pending on a GPU.
struct ImageBatch {
    using View = ImageView<const std::uint8_t>;
    static constexpr int on_host = -1;

    ImageBatch() = default;
    /// \param images a contiguous range of views, which must outlive the batch.
    /// \param on_gpu number of the GPU in whose memory the images lie.
    template <class Images>
    requires std::convertible_to<const Images&, std::span<const View>> ImageBatch(const Images& images,
                                                                                  int on_gpu = on_host)
        : views(images), gpu(on_gpu) {}

    /// One image in host memory. The view must outlive the batch.
    ImageBatch(const View& image) : views(&image, 1) {}

    bool is_on_gpu() const { return gpu != on_host; }
    std::size_t size() const { return views.size(); }

    std::span<const View> views;
    int gpu = on_host;  ///< the GPU in whose memory all of them lie
};

}  // namespace fovea
