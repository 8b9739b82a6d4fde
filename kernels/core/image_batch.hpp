#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/core/view.hpp"

namespace fovea {

/// Images of any sizes that one call works on, and the memory that they lie in: 8-bit grey, any strides and
/// alignment. Does not own them. On a GPU, nothing may be pending that writes them; they stay as they are
/// until the call returns.
struct ImageBatch {
    using View = ImageView<const std::uint8_t>;
    static constexpr int on_host = -1;

    ImageBatch() = default;
    /// \param images a range of views in one piece. \param on_gpu the GPU that has them; on_host = none.
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
