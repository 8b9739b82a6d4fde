// The pyramid of a batch and its codes on a GPU, in two launches. The first makes octaves and the taps of
// every level. In the second a block makes the codes of one tile of a level: it resamples the pixels under it
// from the octave, a thread a column, sums them up to blocks of 2×2 and 4×4 in shared memory, and makes the
// codes of two neighbourhoods in one register.

#include "kernels/core/gpu_launch.cuh"
#include "kernels/mct/area_tap_body.hpp"
#include "kernels/mct/code_pair_body.hpp"
#include "kernels/mct/gpu_find_task.cuh"
#include "kernels/mct/gpu_mct.hpp"

namespace fovea::cuda_backend {
namespace {

constexpr int octave_threads = 256;
constexpr int level_threads = 256;

// --- Octaves and taps --------------------------------------------------------------------------------

__device__ void make_taps(const MctBatch& batch, const MctGpuLevel& level) {
    if (level.ratio == 1) return;
    AreaTap* const taps = batch.taps + level.taps;
    for (int i = threadIdx.x; i < level.size.width + level.size.height; i += octave_threads) {
        const int row = i - level.size.width;
        taps[i] = row < 0 ? area_tap(i, level.ratio, level.source.width)
                          : area_tap(row, level.ratio, level.source.height);
    }
}

// One block's pixels of up to six octaves: what an octave's pixel is made of lies in the same block.
__device__ void make_octaves_of_block(const MctBatch& batch, int launch, int block) {
    const int* const first = batch.first_octave_blocks[launch];
    const int index = find_entry(first, batch.image_count, block);
    const MctGpuImage& image = batch.images[index];
    const int base = launch * octaves_per_launch;
    const int columns = ((image.size.width >> base) + octave_block - 1) / octave_block;
    const int block_x = (block - first[index]) % columns;
    const int block_y = (block - first[index]) / columns;
    const std::uint8_t* const source =
        base == 0 ? batch.pixels + image.pixels : batch.octaves + image.octave_offsets[base - 1];
    const std::size_t source_pitch = base == 0 ? image.size.width : octave_pitch(image.size.width >> base);

    __shared__ std::uint8_t made[2][octave_block / 2 * octave_block / 2];
    const int last = min(image.octaves, base + octaves_per_launch);
    for (int k = base + 1; k <= last; ++k) {
        const int edge = octave_block >> (k - base);
        const int width = image.size.width >> k;
        const int height = image.size.height >> k;
        std::uint8_t* const octave = batch.octaves + image.octave_offsets[k - 1];
        std::uint8_t* const target = made[k % 2];
        const std::uint8_t* const before = made[1 - k % 2];
        for (int i = threadIdx.x; i < edge * edge; i += octave_threads) {
            const int x = i % edge;
            const int y = i / edge;
            const int full_x = block_x * edge + x;
            const int full_y = block_y * edge + y;
            if (full_x >= width || full_y >= height) continue;
            const bool from_source = k == base + 1;
            const std::size_t pitch = from_source ? source_pitch : 2 * edge;
            const std::uint8_t* const top =
                from_source ? source + 2 * full_y * pitch + 2 * full_x : before + 2 * y * pitch + 2 * x;
            const auto pixel =
                static_cast<std::uint8_t>(octave_pixel(top[0], top[1], top[pitch], top[pitch + 1]));
            target[i] = pixel;
            octave[static_cast<std::size_t>(full_y) * octave_pitch(width) + full_x] = pixel;
        }
        __syncthreads();
    }
}

__global__ void __launch_bounds__(octave_threads)
    octave_kernel(const __grid_constant__ MctBatch batch, int launch, int octave_blocks, unsigned* cleared,
                  int cleared_words) {
    const int block = static_cast<int>(blockIdx.x);
    if (block < octave_blocks) {
        make_octaves_of_block(batch, launch, block);
        return;
    }
    const int level = block - octave_blocks;
    if (level == 0) {
        for (int i = threadIdx.x; i < cleared_words; i += octave_threads) cleared[i] = 0;
    }
    make_taps(batch, batch.levels[level]);
}

// --- Codes -------------------------------------------------------------------------------------------

// A neighbourhood of 3×3 blocks of 4×4 pixels reaches 11 pixels further.
constexpr int reach = 11;
constexpr int tile_columns = MctLevelTile::columns;
constexpr int tile_rows = MctLevelTile::rows;
// Resampled columns, a thread each, and rows, in two halves.
constexpr int resampled_columns = 128;
constexpr int resampled_rows = tile_rows + reach - 1;
constexpr int half_rows = resampled_rows / 2;
static_assert(tile_columns + reach - 1 <= resampled_columns && tile_columns % 4 == 0);
static_assert(tile_rows % 2 == 0 && resampled_rows == 64);
// Four elements more than columns: threads read a little further than they use.
constexpr int tile_pitch = resampled_columns + 4;
// Threads take four columns each; strips of rows.
constexpr int quads = tile_columns / 4;
constexpr int strips = 8;
constexpr int strip_rows = (tile_rows + strips - 1) / strips;
static_assert(quads * strips <= level_threads);
// Cells, in pairs; sums of 4×4 pixels reach two pairs further.
constexpr int tile_cells = tile_columns / 2;
constexpr int tile_cell_rows = tile_rows / 2;
constexpr int cell_pairs = tile_cells / 2;
constexpr int summed_pairs = cell_pairs + 2;
constexpr int summed_rows = tile_cell_rows + 4;
constexpr int summed_pitch = 2 * summed_pairs;

__device__ __forceinline__ std::uint32_t word_at(const std::uint16_t* elements) {
    return *reinterpret_cast<const std::uint32_t*>(elements);
}

__device__ __forceinline__ uint2 words_at(const std::uint16_t* elements) {
    return *reinterpret_cast<const uint2*>(elements);
}

// (high half of a, low half of b): the elements between two words.
__device__ __forceinline__ std::uint32_t middle_of(std::uint32_t a, std::uint32_t b) {
    return __byte_perm(a, b, 0x5432);
}

__device__ __forceinline__ std::uint32_t low_halves(std::uint32_t a, std::uint32_t b) {
    return __byte_perm(a, b, 0x5410);
}

// Pairs of pixels (0,1), (1,2), (2,3), (3,4), (4,5) of a row.
struct PixelRow {
    static constexpr int words = 5;
    static constexpr int second = 2;  // where the second pair of neighbourhoods begins
    __device__ static void load(const std::uint16_t* row, std::uint32_t (&pairs)[words]) {
        const uint2 first = words_at(row);
        const std::uint32_t last = word_at(row + 4);
        pairs[0] = first.x;
        pairs[1] = middle_of(first.x, first.y);
        pairs[2] = first.y;
        pairs[3] = middle_of(first.y, last);
        pairs[4] = last;
    }
};

// Pairs of sums of 2×2 pixels (0,1), (2,3), (4,5), (6,7) of a row.
struct BlockRow {
    static constexpr int words = 4;
    static constexpr int second = 1;
    __device__ static void load(const std::uint16_t* row, std::uint32_t (&pairs)[words]) {
        const uint2 first = words_at(row);
        const uint2 last = words_at(row + 4);
        pairs[0] = first.x;
        pairs[1] = first.y;
        pairs[2] = last.x;
        pairs[3] = last.y;
    }
};

/// Makes the codes of one tile.
class LevelTile {
  public:
    __device__ LevelTile(const MctBatch& batch, const MctGpuLevel& level, int tile, std::uint16_t* pixels,
                         std::uint16_t* sums)
        : batch_(batch),
          level_(level),
          x_(tile % level.level_tile_columns * tile_columns),
          y_(tile / level.level_tile_columns * tile_rows),
          pixels_(pixels),
          sums_(sums) {}

    __device__ void run(AreaTap* rows) {
        resample(rows);
        __syncthreads();
        if (batch_.planes[static_cast<int>(MctPlane::pixel)]) pixel_codes();
        const bool block2 = batch_.planes[static_cast<int>(MctPlane::block2)];
        const bool coarse2 = batch_.planes[static_cast<int>(MctPlane::coarse2)];
        const bool coarse4 = batch_.planes[static_cast<int>(MctPlane::coarse4)];
        const bool contrast4 = batch_.planes[static_cast<int>(MctPlane::contrast4)];
        if (!block2 && !coarse2 && !coarse4 && !contrast4) return;
        sum_blocks();
        __syncthreads();
        if (block2 || coarse2) block_codes(block2, coarse2);
        if (!coarse4 && !contrast4) return;
        // The pixels are done with.
        sum_cells();
        __syncthreads();
        cell_codes(coarse4, contrast4);
    }

  private:
    __device__ std::uint16_t* plane_row(MctPlane plane, int y) const {
        const int index = static_cast<int>(plane);
        return batch_.codes + level_.planes[index] + static_cast<std::size_t>(y) * level_.plane_pitch(index);
    }

    __device__ void resample(AreaTap* rows) const {
        const bool copied = level_.ratio == 1;
        const AreaTap* const taps = batch_.taps + level_.taps;
        if (!copied) {
            for (int i = threadIdx.x; i < resampled_rows; i += level_threads) {
                rows[i] = taps[level_.size.width + min(y_ + i, level_.size.height - 1)];
            }
            __syncthreads();
        }
        const int column = static_cast<int>(threadIdx.x) % resampled_columns;
        const int begin = static_cast<int>(threadIdx.x) / resampled_columns * half_rows;
        const int x = min(x_ + column, level_.size.width - 1);
        std::uint16_t* const target = pixels_ + begin * tile_pitch + column;
        const MctGpuImage& image = batch_.images[level_.image];
        const std::uint8_t* const source = level_.octave == 0
                                               ? batch_.pixels + image.pixels
                                               : batch_.octaves + image.octave_offsets[level_.octave - 1];
        const int pitch = level_.octave == 0 ? level_.source.width : octave_pitch(level_.source.width);
        if (copied) {
#pragma unroll 8
            for (int i = 0; i < half_rows; ++i) {
                const int y = min(y_ + begin + i, level_.size.height - 1);
                target[i * tile_pitch] = source[static_cast<std::size_t>(y) * pitch + x];
            }
            return;
        }
        const AreaTap tap = taps[x];
        const int end = level_.source.width - 1;
        const int x0 = tap.first;
        const int x1 = min(x0 + 1, end);
        const int x2 = min(x0 + 2, end);
        const auto pass = [&](int y) {
            const std::uint8_t* const row =
                source + static_cast<std::size_t>(min(y, level_.source.height - 1)) * pitch;
            return area_columns(row[x0], row[x1], row[x2], tap);
        };
        // Rows are passed through once, the last three kept.
        int first = rows[begin].first;
        int top = pass(first);
        int middle = pass(first + 1);
        int bottom = pass(first + 2);
#pragma unroll 2
        for (int i = 0; i < half_rows; ++i) {
            const AreaTap& row = rows[begin + i];
            const int ahead = row.first - first;
            if (ahead == 1) {
                top = middle;
                middle = bottom;
                bottom = pass(row.first + 2);
            } else if (ahead >= 2) {
                top = ahead == 2 ? bottom : pass(row.first);
                middle = pass(row.first + 1);
                bottom = pass(row.first + 2);
            }
            first = row.first;
            target[i * tile_pitch] = static_cast<std::uint16_t>(area_rows(top, middle, bottom, row));
        }
    }

    // Codes of four neighbouring columns, down a strip of rows `step` apart whose neighbourhoods' rows are as
    // far apart; give(codes of the first two, of the last two).
    template <class Row, class Give>
    __device__ static void march(const std::uint16_t* elements, int column, int row, int step, int end,
                                 const Give& give) {
        std::uint32_t rows[3][Row::words];
        const std::uint16_t* at = elements + row * tile_pitch + column;
        Row::load(at, rows[0]);
        Row::load(at + step * tile_pitch, rows[1]);
        at += 2 * step * tile_pitch;
#pragma unroll
        for (int i = 0; i < strip_rows; ++i) {
            if (row >= end) break;
            Row::load(at, rows[(i + 2) % 3]);
            std::uint32_t codes[2];
#pragma unroll
            for (int pair = 0; pair < 2; ++pair) {
                const int left = pair * Row::second;
                const std::uint32_t neighbourhood[9] = {
                    rows[i % 3][left],       rows[i % 3][left + 1],       rows[i % 3][left + 2],
                    rows[(i + 1) % 3][left], rows[(i + 1) % 3][left + 1], rows[(i + 1) % 3][left + 2],
                    rows[(i + 2) % 3][left], rows[(i + 2) % 3][left + 1], rows[(i + 2) % 3][left + 2]};
                codes[pair] = mct_code_pair(neighbourhood);
            }
            give(codes[0], codes[1]);
            row += step;
            at += step * tile_pitch;
        }
    }

    __device__ void pixel_codes() const {
        const int column = static_cast<int>(threadIdx.x) % quads * 4;
        const int strip = static_cast<int>(threadIdx.x) / quads;
        if (strip >= strips || x_ + column >= level_.pitch) return;
        const int end = min(min((strip + 1) * strip_rows, tile_rows), level_.size.height - y_);
        const int begin = strip * strip_rows;
        std::uint16_t* target = plane_row(MctPlane::pixel, y_ + begin) + x_ + column;
        march<PixelRow>(pixels_, column, begin, 1, end, [&](std::uint32_t first, std::uint32_t second) {
            *reinterpret_cast<uint2*>(target) = make_uint2(first, second);
            target += level_.pitch;
        });
    }

    __device__ void sum_blocks() const {
        constexpr int strip = resampled_rows / strips;
        const int column = static_cast<int>(threadIdx.x) % 32 * 4;
        const int begin = static_cast<int>(threadIdx.x) / 32 * strip;
        const std::uint16_t* at = pixels_ + begin * tile_pitch + column;
        std::uint32_t above[2];
        const auto row_sums = [&](std::uint32_t(&pairs)[2]) {
            const uint2 own = words_at(at);
            const std::uint32_t next = word_at(at + 4);
            pairs[0] = own.x + middle_of(own.x, own.y);
            pairs[1] = own.y + middle_of(own.y, next);
            at += tile_pitch;
        };
        row_sums(above);
        for (int row = begin; row < min(begin + strip, resampled_rows - 1); ++row) {
            std::uint32_t below[2];
            row_sums(below);
            *reinterpret_cast<uint2*>(sums_ + row * tile_pitch + column) =
                make_uint2(above[0] + below[0], above[1] + below[1]);
            above[0] = below[0];
            above[1] = below[1];
        }
    }

    // Even and odd rows in strips of their own; the even ones at even columns are the cells'.
    __device__ void block_codes(bool block2, bool coarse2) const {
        const int column = static_cast<int>(threadIdx.x) % quads * 4;
        const int strip = static_cast<int>(threadIdx.x) / quads;
        if (strip >= strips || x_ + column >= level_.pitch) return;
        const int odd = strip % 2;
        if (odd != 0 && !block2) return;
        const int begin = strip / 2 * (2 * strip_rows) + odd;
        const int end =
            min(min(strip / 2 * (2 * strip_rows) + 2 * strip_rows, tile_rows), level_.size.height - y_);
        std::uint16_t* target = plane_row(MctPlane::block2, y_ + begin) + x_ + column;
        std::uint16_t* cells = plane_row(MctPlane::coarse2, (y_ + begin) / 2) + (x_ + column) / 2;
        const bool with_cells = coarse2 && odd == 0 && (x_ + column) / 2 < level_.cell_pitch;
        march<BlockRow>(sums_, column, begin, 2, end, [&](std::uint32_t first, std::uint32_t second) {
            if (block2) *reinterpret_cast<uint2*>(target) = make_uint2(first, second);
            if (with_cells) *reinterpret_cast<std::uint32_t*>(cells) = low_halves(first, second);
            target += 2 * level_.pitch;
            cells += level_.cell_pitch;
        });
    }

    // Sums of 4×4 pixels at even places, where the pixels were.
    __device__ void sum_cells() const {
        for (int i = threadIdx.x; i < summed_pairs * summed_rows; i += level_threads) {
            const int pair = i % summed_pairs;
            const int row = i / summed_pairs;
            const std::uint16_t* const at = sums_ + 2 * row * tile_pitch + 4 * pair;
            std::uint32_t sum = 0;
#pragma unroll
            for (int y = 0; y < 4; y += 2) {
                const uint2 first = words_at(at + y * tile_pitch);
                const std::uint32_t last = word_at(at + y * tile_pitch + 4);
                sum += low_halves(first.x, first.y) + low_halves(first.y, last);
            }
            *reinterpret_cast<std::uint32_t*>(pixels_ + row * summed_pitch + 2 * pair) = sum;
        }
    }

    __device__ void cell_codes(bool coarse4, bool contrast4) const {
        for (int i = threadIdx.x; i < cell_pairs * tile_cell_rows; i += level_threads) {
            const int pair = i % cell_pairs;
            const int row = i / cell_pairs;
            const int x = x_ / 2 + 2 * pair;
            const int y = y_ / 2 + row;
            if (x >= level_.cell_pitch || y >= (level_.size.height + 1) / 2) continue;
            std::uint32_t sums[9];
#pragma unroll
            for (int k = 0; k < 9; ++k) {
                sums[k] = word_at(pixels_ + (row + k / 3 * 2) * summed_pitch + 2 * pair + k % 3 * 2);
            }
            if (coarse4) {
                *reinterpret_cast<std::uint32_t*>(plane_row(MctPlane::coarse4, y) + x) = mct_code_pair(sums);
            }
            if (contrast4) {
                *reinterpret_cast<std::uint32_t*>(plane_row(MctPlane::contrast4, y) + x) =
                    contrast_pair(sums);
            }
        }
    }

    const MctBatch& batch_;
    // A copy: reading it again after every store to the planes would cost more than its registers.
    const MctGpuLevel level_;
    int x_;
    int y_;
    std::uint16_t* pixels_;
    std::uint16_t* sums_;
};

__global__ void __launch_bounds__(level_threads, 5) level_kernel(const __grid_constant__ MctBatch batch) {
    __shared__ __align__(16) std::uint16_t pixels[resampled_rows * tile_pitch];
    __shared__ __align__(16) std::uint16_t sums[resampled_rows * tile_pitch];
    __shared__ AreaTap rows[resampled_rows];
    const int task = static_cast<int>(blockIdx.x);
    const int index = find_entry(batch.first_level_tiles, batch.level_count, task);
    LevelTile(batch, batch.levels[index], task - batch.first_level_tiles[index], pixels, sums).run(rows);
}

}  // namespace

void launch_mct_octaves(const Device& device, const MctBatch& batch, int launch, int blocks,
                        unsigned* cleared, int cleared_words) {
    // Taps are made once, one block per level.
    const int levels = launch == 0 ? batch.level_count : 0;
    if (blocks + levels == 0) return;
    launch_kernel(device, "making octaves", blocks + levels, octave_threads, 0, octave_kernel, batch, launch,
                  blocks, cleared, cleared_words);
}

void launch_mct_levels(const Device& device, const MctBatch& batch, int tiles) {
    launch_kernel(device, "making the levels' codes", tiles, level_threads, 0, level_kernel, batch);
}

}  // namespace fovea::cuda_backend
