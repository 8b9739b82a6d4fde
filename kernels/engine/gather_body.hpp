#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/core/align.hpp"
#include "kernels/core/view.hpp"

namespace fovea::cuda_backend {

/// 16 pixels, as a GPU moves them at once.
struct alignas(16) GatherWord {
    std::uint8_t pixels[16];
};

/// An image that a batch is to have without gaps between its rows, from a given word on.
struct GatherSource {
    ImageView<const std::uint8_t> image;
    std::uint32_t first_word = 0;
    std::uint32_t unit = 1;  ///< pixels that can be loaded at once: 16, 4 or 1
};

/// The source of an image of less than 2^32 pixels.
/// \param offset of its place in the batch in bytes, a multiple of 16 below 2^36.
inline GatherSource gather_source(ImageView<const std::uint8_t> image, std::size_t offset) {
    const auto allows = [&](std::uint32_t unit) {
        if (reinterpret_cast<std::uintptr_t>(image.data) % unit != 0) return false;
        return image.stride == image.width || (image.width % unit == 0 && image.stride % unit == 0);
    };
    return {image, static_cast<std::uint32_t>(offset / sizeof(GatherWord)),
            allows(16)  ? 16U
            : allows(4) ? 4U
                        : 1U};
}

/// The source that a word belongs to: the last one that begins there or before. \param sources at least one,
/// in the order of their places, the first at word 0.
FOVEA_HOST_DEVICE inline int gather_source_of(const GatherSource* sources, int count, std::uint32_t word) {
    int low = 0;
    for (int end = count; end - low > 1;) {
        const int middle = low + (end - low) / 2;
        if (sources[middle].first_word <= word) {
            low = middle;
        } else {
            end = middle;
        }
    }
    return low;
}

template <std::uint32_t unit>
FOVEA_HOST_DEVICE inline GatherWord gather_units(const ImageView<const std::uint8_t>& image, std::size_t at) {
    const auto width = static_cast<std::uint32_t>(image.width);
    const std::size_t pixels = static_cast<std::size_t>(width) * static_cast<std::uint32_t>(image.height);
    const bool has_gaps = image.stride != image.width;
    std::uint32_t x = 0;
    const std::uint8_t* from = image.data + at;
    if (has_gaps) {
        const auto row = static_cast<std::uint32_t>(at) / width;
        x = static_cast<std::uint32_t>(at) - row * width;
        from = image.data + static_cast<std::ptrdiff_t>(row) * image.stride + x;
    }
    GatherWord word{};
    for (std::uint32_t i = 0; i < sizeof(GatherWord); i += unit) {
        if (at + i + unit <= pixels) {
            std::memcpy(word.pixels + i, __builtin_assume_aligned(from, unit), unit);
        } else {
            // Every place is written by its number, so that the word can lie in registers.
            for (std::uint32_t k = 0; k < unit; ++k) {
                if (at + i + k < pixels) word.pixels[i + k] = from[k];
            }
        }
        from += unit;
        x += unit;
        if (has_gaps && x == width) {
            from += image.stride - width;
            x = 0;
        }
    }
    return word;
}

/// Pixels at ... at + 15 of an image without its gaps, 0 behind the last one. \param at a multiple of 16
/// below the number of pixels.
FOVEA_HOST_DEVICE inline GatherWord gather_word(const GatherSource& source, std::size_t at) {
    if (source.unit == 16) return gather_units<16>(source.image, at);
    return source.unit == 4 ? gather_units<4>(source.image, at) : gather_units<1>(source.image, at);
}

/// The content of a word of the batch.
FOVEA_HOST_DEVICE inline GatherWord gathered(const GatherSource* sources, int count, std::uint32_t word) {
    const GatherSource& source = sources[gather_source_of(sources, count, word)];
    return gather_word(source, static_cast<std::size_t>(word - source.first_word) * sizeof(GatherWord));
}

}  // namespace fovea::cuda_backend
