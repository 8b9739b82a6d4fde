#pragma once

#include <cstdint>

#include "kernels/haar_lbp/gpu_scan.hpp"
#include "kernels/resize/resize_body.hpp"

namespace fovea::cuda_backend {

// The pixels under a tile and their integral images, by all threads of a block.

constexpr int scan_warps = scan_threads / 32;

/// The tile that a block works on.
struct Tile {
    TiledLevel level;
    int index = 0;   // in the batch
    int column = 0;  // the tile's first window in the level
    int row = 0;
    int columns = 0;  // windows
    int rows = 0;
    int pixel_width = 0;
    int pixel_height = 0;
};

// A LinearTap in 8 bytes: the first pixel's column, or the byte at which its row begins; the second pixel's
// weight; and at bit 16 whether the second pixel is the next one.
struct PackedTap {
    unsigned offset;
    unsigned weight_and_next;
};

/// Makes the level's pixels under the tile from the image. Ends with a barrier.
/// \param taps room for pixel_width + pixel_height.
__device__ inline void resize_tile(const std::uint8_t* images, const Tile& tile, PackedTap* taps,
                                   std::uint8_t* pixels) {
    const TiledLevel& level = tile.level;
    const int width = tile.pixel_width;
    const int height = tile.pixel_height;
    const unsigned stride = level.image_size.width;
    const int left = tile.column * level.step;
    const int top = tile.row * level.step;
    for (int i = threadIdx.x; i < width + height; i += scan_threads) {
        const int y = i - width;
        const LinearTap tap = y < 0 ? linear_tap(left + i, level.scale_x, level.image_size.width)
                                    : linear_tap(top + y, level.scale_y, level.image_size.height);
        taps[i] = {y < 0 ? tap.offset : tap.offset * stride,
                   static_cast<unsigned>(tap.weight | (tap.next - tap.offset) << 16)};
    }
    __syncthreads();
    const PackedTap* const row_taps = taps + width;
    const int warp = threadIdx.x / 32;
    const bool is_copy = level.scale_x == 1 && level.scale_y == 1;
    for (int x = threadIdx.x % 32; x < width; x += 32) {
        const PackedTap column = taps[x];
        // A batch has less than 2^32 bytes, so an address takes one addition.
        const unsigned first = level.image_offset + column.offset;
        const PackedTap* row = row_taps + warp;
        std::uint8_t* pixel = pixels + warp * width + x;
        const PackedTap* const end = row_taps + height;
        if (is_copy) {
#pragma unroll 4
            for (; row < end; row += scan_warps, pixel += scan_warps * width) {
                *pixel = __ldg(images + (first + row->offset));
            }
            continue;
        }
        const int weight = static_cast<int>(column.weight_and_next & 0xFFFF);
        const unsigned next = column.weight_and_next >> 16;
#pragma unroll 4
        for (; row < end; row += scan_warps, pixel += scan_warps * width) {
            const PackedTap tap = *row;
            const unsigned above_left = first + tap.offset;
            const unsigned below_left = above_left + (tap.weight_and_next >> 16) * stride;
            const int above =
                blend_columns(__ldg(images + above_left), __ldg(images + (above_left + next)), weight);
            const int below =
                blend_columns(__ldg(images + below_left), __ldg(images + (below_left + next)), weight);
            *pixel = static_cast<std::uint8_t>(
                blend_rows(above, below, static_cast<int>(tap.weight_and_next & 0xFFFF)));
        }
    }
    __syncthreads();
}

// Prefix sums along the rows: each lane adds `Share` neighbouring pixels, then the warp adds the lanes. Wider
// rows are done piece by piece.
template <bool Squared, int Share>
__device__ __forceinline__ void integrate_rows(int width, int height, const TileLayout& layout,
                                               const std::uint8_t* pixels, std::uint32_t* integral) {
    const int lane = threadIdx.x % 32;
    constexpr int piece = 32 * Share;
    int columns[Share];
#pragma unroll
    for (int k = 0; k < Share; ++k) columns[k] = layout.offset(lane * Share + k + 1, 0);
#pragma unroll 2
    for (int y = threadIdx.x / 32; y < height; y += scan_warps) {
        std::uint32_t* row = integral + layout.offset(0, y + 1);
        if (lane == 0) row[0] = 0;
        std::uint32_t before = 0;
        for (int start = 0; start < width; start += piece) {
            const int first = start + lane * Share;
            std::uint32_t values[Share];
            std::uint32_t own = 0;
#pragma unroll
            for (int k = 0; k < Share; ++k) {
                values[k] = first + k < width ? pixels[y * width + first + k] : 0;
                if (Squared) values[k] *= values[k];
                own += values[k];
            }
            std::uint32_t sum = own;
#pragma unroll
            for (int distance = 1; distance < 32; distance *= 2) {
                const std::uint32_t left = __shfl_up_sync(0xFFFFFFFFU, sum, distance);
                if (lane >= distance) sum += left;
            }
            const std::uint32_t total = __shfl_sync(0xFFFFFFFFU, sum, 31);
            sum += before - own;
            before += total;
#pragma unroll
            for (int k = 0; k < Share; ++k) {
                sum += values[k];
                if (first + k < width) row[columns[k]] = sum;
            }
            row += piece / layout.step;
            if (Share < 8) break;  // narrower pieces hold the whole row
        }
    }
}

// Adds a running sum to `Count` elements, of which place(i) is the i-th. All are loaded before the first is
// stored, so that their loads do not wait for each other.
template <int Count, class Place>
__device__ __forceinline__ void add_down(std::uint32_t& sum, Place place) {
    std::uint32_t values[Count];
#pragma unroll
    for (int i = 0; i < Count; ++i) values[i] = *place(i);
#pragma unroll
    for (int i = 0; i < Count; ++i) {
        sum += values[i];
        *place(i) = sum;
    }
}

// Prefix sums down a column.
__device__ __forceinline__ void integrate_column(std::uint32_t* column, int height,
                                                 const TileLayout& layout) {
    constexpr int at_once = 8;
    const int pitch = layout.pitch;
    std::uint32_t sum = 0;
    int y = 1;
    if (layout.step == 1) {
        for (; y + at_once <= height + 1; y += at_once)
            add_down<at_once>(sum, [&](int i) { return column + (y + i) * pitch; });
        for (; y <= height; ++y) add_down<1>(sum, [&](int) { return column + y * pitch; });
        return;
    }
    // Odd rows have a plane of their own.
    std::uint32_t* const odd = column + layout.row_plane;
    for (; y + at_once <= height + 1; y += at_once) {
        const int half = y / 2;
        add_down<at_once>(sum,
                          [&](int i) { return (i % 2 == 0 ? odd : column) + (half + (i + 1) / 2) * pitch; });
    }
    for (; y <= height; ++y)
        add_down<1>(sum, [&](int) { return (y % 2 != 0 ? odd : column) + y / 2 * pitch; });
}

/// Makes the integral image of the tile's pixels, or of their squares (modulo 2^32). Ends with a barrier.
template <bool Squared>
__device__ void integrate_tile(const Tile& tile, const TileLayout& layout, const std::uint8_t* pixels,
                               std::uint32_t* integral) {
    const int width = tile.pixel_width;
    const int height = tile.pixel_height;
    for (int x = threadIdx.x; x <= width; x += scan_threads) integral[layout.offset(x, 0)] = 0;
    const int share = (width + 31) / 32;
    if (share == 1) {
        integrate_rows<Squared, 1>(width, height, layout, pixels, integral);
    } else if (share == 2) {
        integrate_rows<Squared, 2>(width, height, layout, pixels, integral);
    } else if (share == 3) {
        integrate_rows<Squared, 3>(width, height, layout, pixels, integral);
    } else if (share == 4) {
        integrate_rows<Squared, 4>(width, height, layout, pixels, integral);
    } else if (share == 5) {
        integrate_rows<Squared, 5>(width, height, layout, pixels, integral);
    } else if (share == 6) {
        integrate_rows<Squared, 6>(width, height, layout, pixels, integral);
    } else {
        integrate_rows<Squared, 8>(width, height, layout, pixels, integral);
    }
    __syncthreads();
    for (int x = 1 + threadIdx.x; x <= width; x += scan_threads) {
        integrate_column(integral + layout.offset(x, 0), height, layout);
    }
    __syncthreads();
}

// Does IntegralBand::add_tilted_row for all rows, with zeros beyond the tile: sums over rectangles inside the
// tile do not depend on the pixels there.
__device__ inline void integrate_tile_tilted(const Tile& tile, const TileLayout& layout,
                                             const std::uint8_t* pixels, std::uint32_t* tilted) {
    const int width = tile.pixel_width;
    const auto at = [&](int x, int y) -> std::uint32_t& { return tilted[layout.offset(x, y)]; };
    for (int x = threadIdx.x; x <= width; x += scan_threads) at(x, 0) = 0;
    __syncthreads();
    for (int y = 1; y <= tile.pixel_height; ++y) {
        const std::uint8_t* const row = pixels + (y - 1) * width;
        for (int x = threadIdx.x; x <= width; x += scan_threads) {
            std::uint32_t value = x == 0 ? at(1, y - 1) : at(x - 1, y - 1) + row[x - 1];
            if (x > 0 && x < width) {
                value += at(x + 1, y - 1);
                if (y > 1) value += row[x - 1 - width] - at(x, y - 2);
            } else if (x == width && y > 1) {
                value += row[x - 1 - width];
            }
            at(x, y) = value;
        }
        __syncthreads();
    }
}

}  // namespace fovea::cuda_backend
