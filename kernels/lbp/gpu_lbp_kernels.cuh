#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/core/view.hpp"
#include "kernels/lbp/lbp_body.hpp"
#include "kernels/lbp/staged_jobs.hpp"

namespace fovea::cuda_backend {

constexpr int max_points = 16;
constexpr int max_threads = 512;
/// Blocks of max_threads that a multiprocessor has room for.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr int min_blocks = 2;
#else
constexpr int min_blocks = 3;
#endif

/// A StagedJob whose lists lie in common tables.
struct GpuJob {
    Rect window;
    Size coded;  ///< the counted pixels; they begin `margin` from the window's corner
    int cell_columns = 0;
    int cells = 0;
    std::uint32_t column_cells = 0;  ///< index of the first in GpuFeature::cells
    std::uint32_t row_cells = 0;     ///< index of the first in GpuFeature::cells
    std::uint32_t first_region = 0;
    std::uint32_t regions = 0;
};

/// A feature in the memory of a GPU, and the faces that it is computed for.
struct GpuFeature {
    Size face;
    int points = 0;
    int margin = 0;
    int bins = 0;
    bool uniform = false;
    std::uint32_t jobs = 0;
    std::uint32_t regions = 0;
    const GpuJob* job = nullptr;                ///< [jobs]
    const RegionCells* region_cells = nullptr;  ///< [regions]
    const Rect* region = nullptr;               ///< [regions]
    const std::uint16_t* cells = nullptr;       ///< columns and rows of cells of all jobs
    const std::uint16_t* labels = nullptr;      ///< [2^points]
    int stride = 0;                             ///< from one staged row to the next
    int offsets[max_points]{};                  ///< samples from the centre, in staged pixels
    int face_offsets[max_points]{};             ///< samples from the centre, in pixels of the face
    std::uint32_t weights[max_points]{};        ///< four weights to a word
    std::size_t first_bin = 0;                  ///< in a face's vector of counts
    std::size_t bins_of_face = 0;

    const std::uint8_t* faces = nullptr;  ///< [count][height][width]
    const std::uint8_t* faces_end = nullptr;
    std::uint16_t* counts = nullptr;  ///< [count][bins_of_face]
};

/// How a code becomes a label.
enum class Labels {
    of_code,      ///< every code is its own label
    from_table,   ///< a byte for every code, in shared memory
    arithmetic,   ///< uniform_label()
    from_memory,  ///< GpuFeature::labels
};

namespace lbp_kernels {

// Four pixels from a place that is a multiple of four bytes; pixels outside the faces are 0.
__device__ inline std::uint32_t word_at(const GpuFeature& feature, const std::uint8_t* place) {
    if (place >= feature.faces && place + 4 <= feature.faces_end) {
        return __ldg(reinterpret_cast<const std::uint32_t*>(place));
    }
    std::uint32_t word = 0;
    for (int i = 0; i < 4; ++i) {
        if (place + i >= feature.faces && place + i < feature.faces_end) {
            word |= std::uint32_t{place[i]} << (8 * i);
        }
    }
    return word;
}

/// Five pixels of a row.
struct FivePixels {
    std::uint32_t first = 0;  // the first four
    std::uint32_t last = 0;   // the last in the lowest byte, other pixels above
};

__device__ inline FivePixels five_pixels(const GpuFeature& feature, const std::uint8_t* place) {
    const auto behind = reinterpret_cast<std::uintptr_t>(place) & 3;
    const std::uint32_t low = word_at(feature, place - behind), high = word_at(feature, place - behind + 4);
    const unsigned bits = 8 * static_cast<unsigned>(behind);
    return {__funnelshift_r(low, high, bits), high >> bits};
}

// Stages a window: word (x, y) consists of the pixels (x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1), so that
// a sample is one word. Pixels outside the face have no weight in any sample.
__device__ inline void stage(const GpuFeature& feature, const GpuJob& job, const std::uint8_t* face,
                             std::uint32_t* staged, int thread, int threads) {
    const int groups = feature.stride / 4;
    const int chunks = max(1, threads / groups);
    const int rows = (job.window.height + chunks - 1) / chunks;
    for (int i = thread; i < groups * chunks; i += threads) {
        const int group = i % groups, first = i / groups * rows;
        const int last = min(first + rows, job.window.height);
        if (first >= last) continue;
        const int column = job.window.x + 4 * group;
        const std::uint8_t* place =
            face + static_cast<std::ptrdiff_t>(job.window.y + first) * feature.face.width + column;
        FivePixels above = five_pixels(feature, place);
        auto* to = reinterpret_cast<uint4*>(staged + first * feature.stride + 4 * group);
        for (int y = first; y < last; ++y) {
            place += feature.face.width;
            const FivePixels below = five_pixels(feature, place);
            const std::uint32_t top = __byte_perm(above.first, above.last, 0x0043);
            const std::uint32_t bottom = __byte_perm(below.first, below.last, 0x0043);
            *to = make_uint4(__byte_perm(above.first, below.first, 0x5410),
                             __byte_perm(above.first, below.first, 0x6521),
                             __byte_perm(above.first, below.first, 0x7632), __byte_perm(top, bottom, 0x5410));
            to += groups;
            above = below;
        }
    }
}

// The code of the staged pixel at `centre`. Points = 0 takes the number of the feature.
template <int Points>
__device__ inline std::uint32_t staged_code(const GpuFeature& feature, const std::uint32_t* centre) {
    const int points = Points == 0 ? feature.points : Points;
    const std::uint32_t start = (*centre & 0xFF) * static_cast<std::uint32_t>(-255);
    std::uint32_t below = 0;
    // The sign of every difference is shifted in from the right, beginning with the last sample.
    if constexpr (Points == 0) {
        for (int p = points - 1; p >= 0; --p) {
            const std::uint32_t sum = __dp4a(centre[feature.offsets[p]], feature.weights[p], start);
            below = __funnelshift_l(sum, below, 1);
        }
    } else {
#pragma unroll
        for (int p = Points - 1; p >= 0; --p) {
            const std::uint32_t sum = __dp4a(centre[feature.offsets[p]], feature.weights[p], start);
            below = __funnelshift_l(sum, below, 1);
        }
    }
    return below ^ ((1U << points) - 1);
}

/// One block counts the regions of a job in a face. Shared memory: staged window, histograms of cells, first
/// bin of the cells of each row of pixels, labels.
template <int Points, Labels How>
__global__ void __launch_bounds__(max_threads, min_blocks) staged_kernel(const GpuFeature feature) {
    extern __shared__ uint4 shared[];
    const GpuJob job = feature.job[blockIdx.x % feature.jobs];
    const std::size_t face = blockIdx.x / feature.jobs;
    const int thread = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
    const int threads = static_cast<int>(blockDim.x * blockDim.y);
    auto* const staged = reinterpret_cast<std::uint32_t*>(shared);
    std::uint32_t* const histograms = staged + feature.stride * job.window.height;
    std::uint32_t* const row_bins = histograms + job.cells * feature.bins;
    auto* const table = reinterpret_cast<std::uint8_t*>(row_bins + job.coded.height);

    for (int i = thread; i < job.cells * feature.bins; i += threads) histograms[i] = 0;
    for (int y = thread; y < job.coded.height; y += threads) {
        row_bins[y] =
            static_cast<std::uint32_t>(feature.cells[job.row_cells + y]) * job.cell_columns * feature.bins;
    }
    if constexpr (How == Labels::from_table) {
        for (int i = thread; i < 1 << Points; i += threads) {
            table[i] = static_cast<std::uint8_t>(feature.labels[i]);
        }
    }
    const std::size_t pixels = static_cast<std::size_t>(feature.face.width) * feature.face.height;
    stage(feature, job, feature.faces + face * pixels, staged, thread, threads);
    __syncthreads();

    for (int x = static_cast<int>(threadIdx.x); x < job.coded.width; x += static_cast<int>(blockDim.x)) {
        const std::uint32_t column_bins = feature.cells[job.column_cells + x] * feature.bins;
        std::uint32_t* const cells = histograms + column_bins;
        const std::uint32_t* const column = staged + feature.margin * feature.stride + feature.margin + x;
        for (int y = static_cast<int>(threadIdx.y); y < job.coded.height; y += static_cast<int>(blockDim.y)) {
            const std::uint32_t code = staged_code<Points>(feature, column + y * feature.stride);
            std::uint32_t label = code;
            if constexpr (How == Labels::from_table) label = table[code];
            if constexpr (How == Labels::arithmetic) label = uniform_label(code, Points);
            if constexpr (How == Labels::from_memory) label = __ldg(feature.labels + code);
            atomicAdd(cells + row_bins[y] + label, 1U);
        }
    }
    __syncthreads();

    std::uint16_t* const counts = feature.counts + face * feature.bins_of_face + feature.first_bin;
    for (std::uint32_t r = job.first_region + thread / 32; r < job.first_region + job.regions;
         r += threads / 32) {
        const RegionCells cells = feature.region_cells[r];
        for (int bin = thread % 32; bin < feature.bins; bin += 32) {
            std::uint32_t sum = 0;
            for (int row = cells.top; row < cells.bottom; ++row) {
                for (int column = cells.left; column < cells.right; ++column) {
                    sum += histograms[(row * job.cell_columns + column) * feature.bins + bin];
                }
            }
            counts[static_cast<std::size_t>(r) * feature.bins + bin] = static_cast<std::uint16_t>(sum);
        }
    }
}

/// One block counts a region of a face, which it reads where it lies: for regions and operators of any kind.
/// Each of `copies` groups of warps has its own histogram. Large histograms are counted `bins_at_once` bins
/// at a time. Shared memory: [copies][bins_at_once].
__global__ void __launch_bounds__(256) direct_kernel(const GpuFeature feature, int copies, int bins_at_once) {
    extern __shared__ uint4 shared[];
    auto* const histograms = reinterpret_cast<std::uint32_t*>(shared);
    const std::uint32_t r = blockIdx.x % feature.regions;
    const std::size_t face_index = blockIdx.x / feature.regions;
    const Rect region = feature.region[r];
    const int left = max(region.x, feature.margin), top = max(region.y, feature.margin);
    const int width = min(region.x + region.width, feature.face.width - feature.margin) - left;
    const int height = min(region.y + region.height, feature.face.height - feature.margin) - top;
    const int coded = width > 0 && height > 0 ? width * height : 0;
    const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
    std::uint32_t* const mine = histograms + thread / 32 % copies * bins_at_once;
    const std::uint8_t* const face = feature.faces + face_index * feature.face.width * feature.face.height;
    std::uint16_t* const counts = feature.counts + face_index * feature.bins_of_face + feature.first_bin +
                                  static_cast<std::size_t>(r) * feature.bins;

    for (int first_bin = 0; first_bin < feature.bins; first_bin += bins_at_once) {
        for (int i = thread; i < copies * bins_at_once; i += threads) histograms[i] = 0;
        __syncthreads();
        for (int i = thread; i < coded; i += threads) {
            const std::uint8_t* const centre =
                face + static_cast<std::ptrdiff_t>(top + i / width) * feature.face.width + left + i % width;
            const int scaled_centre = 255 * *centre;
            std::uint32_t code = 0;
            for (int p = 0; p < feature.points; ++p) {
                const std::uint8_t* const pixel = centre + feature.face_offsets[p];
                const std::uint32_t weights = feature.weights[p];
                int sum = 0;
                // A pixel without weight may lie outside the face.
                if ((weights & 0xFF) != 0) sum += static_cast<int>(weights & 0xFF) * pixel[0];
                if ((weights >> 8 & 0xFF) != 0) sum += static_cast<int>(weights >> 8 & 0xFF) * pixel[1];
                const std::uint8_t* const below = pixel + feature.face.width;
                if ((weights >> 16 & 0xFF) != 0) sum += static_cast<int>(weights >> 16 & 0xFF) * below[0];
                if (weights >> 24 != 0) sum += static_cast<int>(weights >> 24) * below[1];
                code |= static_cast<std::uint32_t>(scaled_centre <= sum) << p;
            }
            const int label = (feature.uniform ? static_cast<int>(uniform_label(code, feature.points))
                                               : static_cast<int>(code)) -
                              first_bin;
            if (label >= 0 && label < bins_at_once) atomicAdd(mine + label, 1U);
        }
        __syncthreads();
        for (int bin = thread; bin < min(bins_at_once, feature.bins - first_bin); bin += threads) {
            std::uint32_t sum = 0;
            for (int copy = 0; copy < copies; ++copy) sum += histograms[copy * bins_at_once + bin];
            counts[first_bin + bin] = static_cast<std::uint16_t>(sum);
        }
        __syncthreads();
    }
}

}  // namespace lbp_kernels
}  // namespace fovea::cuda_backend
