#pragma once

#include <cmath>
#include <cstdint>

#include <cuda_runtime.h>

#include "kernels/core/gpu_chain.cuh"
#include "kernels/core/gpu_warp.cuh"
#include "kernels/face_net/cell_box_body.hpp"
#include "kernels/face_net/gpu_face_net.hpp"
#include "kernels/face_net/gpu_face_net_plan.hpp"

// Non-maximum suppression of the cells of a batch, as NetSuppression defines it, in two passes: within each
// size, then among the cells of all sizes that are left. A cell stays exactly if no stronger cell that stays
// suppresses it. So a pass first compares all pairs of cells side by side, and then decides on all cells in a
// few rounds: a cell is dropped once a stronger neighbour stays, and stays once all of them are dropped.
//
// Boxes follow from exp(), whose last bits differ between a GPU and a CPU. A comparison that those bits could
// decide makes its image doubtful, and the caller suppresses the cells of that image anew on the CPU: results
// are those of the CPU in every bit.
namespace fovea::cuda_backend {

constexpr int suppression_threads = 256;
/// Threads of the block that decides on the cells of an image.
constexpr int decision_threads = 512;
/// Stronger neighbours that a cell may have in a pass. An image with more is doubtful.
constexpr int max_neighbours = 64;

/// The place of an image in one size.
struct SizedPlace {
    std::uint32_t image;  ///< in the part of a batch
    std::uint32_t size;   ///< number of the size
};

/// The counts of an image.
struct SuppressionCounts {
    std::uint32_t cells;
    std::uint32_t is_doubtful;  ///< 1: its cells must be suppressed on the CPU
};

/// A cell with its box, pixels of the whole image.
struct PlacedCell {
    double left, top, right, bottom;
    std::uint64_t rank;  ///< the order of is_before()
    float logit;
    std::uint32_t size;   ///< number of the size
    std::uint32_t found;  ///< its number in the list of found cells
};

/// The cells of all images, each image's in a segment of its own.
struct SuppressionJob {
    const FoundCell* found;
    const std::uint32_t* found_count;
    const SizedPlace* places;   ///< [image in one size]
    SuppressionCounts* counts;  ///< [image], 0 before
    std::uint32_t capacity;     ///< cells of a segment
    PlacedCell* cells;          ///< [image][capacity]
    float4* reaches;  ///< [image][capacity]: left, top, right, bottom, rounded outwards; or nowhere()
    /// [image][capacity][max_neighbours]: the stronger cells that suppress a cell, as places in the segment;
    /// a list ends with no_neighbour or is full.
    std::uint16_t* neighbours;
    FoundCell* kept;            ///< the cells that stay, in any order
    std::uint32_t* kept_count;  ///< 0 before
    NetSuppression rule;
};

/// The reach of a cell that the first pass dropped: it touches nothing.
__device__ inline float4 nowhere() {
    return make_float4(INFINITY, INFINITY, -INFINITY, -INFINITY);
}
__device__ inline bool is_nowhere(const float4& reach) {
    return reach.x > reach.z;
}

/// Cells that wait to be compared with a warp's cell: fewer than a warp has lanes, and as many again.
constexpr int max_waiting = 64;
constexpr std::size_t waiting_bytes = suppression_threads / 32 * max_waiting * sizeof(std::uint16_t);

constexpr std::uint16_t no_neighbour = 0xFFFF;
/// Cells of a segment at most.
constexpr std::uint32_t max_segment = 0x4000;

/// Puts the found cells into the segments of their images. An image that has more is doubtful.
inline __global__ void __launch_bounds__(suppression_threads) place_cells(SuppressionJob job) {
    let_next_kernel_begin();
    wait_for_kernel_before();
    const std::uint32_t count = *job.found_count;
    for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        const FoundCell& found = job.found[i];
        const SizedPlace place = job.places[found.image];
        SuppressionCounts& counts = job.counts[place.image];
        const std::uint32_t at = atomicAdd(&counts.cells, 1U);
        if (at >= job.capacity) {
            counts.is_doubtful = 1;
            continue;
        }
        const CellBox box = box_of_cell(found.cell);
        const auto scale = static_cast<double>(std::uint64_t{1} << (2 * place.size));
        PlacedCell& cell = job.cells[place.image * job.capacity + at];
        cell = {box.x * scale,
                box.y * scale,
                (box.x + box.w) * scale,
                (box.y + box.h) * scale,
                static_cast<std::uint64_t>(found.cell.level) << 60 |
                    static_cast<std::uint64_t>(found.cell.row) << 30 |
                    static_cast<std::uint64_t>(found.cell.column),
                found.cell.logit,
                place.size,
                i};
        const auto outwards = [](double edge, float direction) {
            constexpr float slack = 1e-6F;
            const auto value = static_cast<float>(edge);
            return value + direction * (fabsf(value) * slack + slack);
        };
        job.reaches[place.image * job.capacity + at] =
            make_float4(outwards(cell.left, -1), outwards(cell.top, -1), outwards(cell.right, 1),
                        outwards(cell.bottom, 1));
    }
}

/// An answer to a comparison that the last bits of boxes may decide.
enum class Sureness : std::uint8_t { no, yes, doubtful };

/// Whether a value is above 0, where the value is exact up to `tolerance`.
__device__ inline Sureness is_above_zero(double value, double tolerance) {
    return value > tolerance ? Sureness::yes : value < -tolerance ? Sureness::no : Sureness::doubtful;
}

/// Two boxes, compared.
class BoxPair {
  public:
    __device__ BoxPair(const PlacedCell& a, const PlacedCell& b)
        : a_(a), b_(b), area_a_(area(a)), area_b_(area(b)) {}

    /// Whether the IoU is above `max_iou`.
    __device__ Sureness overlaps(double max_iou) const {
        const double width = fmin(a_.right, b_.right) - fmax(a_.left, b_.left);
        const double height = fmin(a_.bottom, b_.bottom) - fmax(a_.top, b_.top);
        const double shared = width > 0 && height > 0 ? width * height : 0;
        const double total = area_a_ + area_b_ - shared;
        return is_above_zero(shared - max_iou * total, relative * total);
    }

    /// Whether one of them has more than twice the area of the other one and holds its centre.
    __device__ Sureness are_nested() const {
        const bool is_a_larger = area_a_ >= area_b_;
        const PlacedCell& larger = is_a_larger ? a_ : b_;
        const PlacedCell& smaller = is_a_larger ? b_ : a_;
        const double x = (smaller.left + smaller.right) / 2, y = (smaller.top + smaller.bottom) / 2;
        const double inside =
            fmin(fmin(x - larger.left, larger.right - x), fmin(y - larger.top, larger.bottom - y));
        const double large = fmax(area_a_, area_b_);
        const Sureness is_large = is_above_zero(large - 2 * fmin(area_a_, area_b_), relative * large);
        const Sureness is_inside = is_above_zero(inside, absolute);
        if (is_large == Sureness::no || is_inside == Sureness::no) return Sureness::no;
        return is_large == Sureness::yes && is_inside == Sureness::yes ? Sureness::yes : Sureness::doubtful;
    }

    /// Pixels: far more than exp() and the arithmetic behind it can differ by, far less than boxes do.
    static constexpr double absolute = 1e-6;

  private:
    static constexpr double relative = 1e-9;

    __device__ static double area(const PlacedCell& cell) {
        return (cell.right - cell.left) * (cell.bottom - cell.top);
    }

    const PlacedCell& a_;
    const PlacedCell& b_;
    double area_a_, area_b_;
};

/// Whether cell a comes before cell b in the order of their faces' scores, then of tops.
__device__ inline Sureness has_higher_score(const PlacedCell& a, const PlacedCell& b,
                                            const NetSuppression& rule) {
    // Scores that near 1 may be equal where logits differ, and so may those of logits that hardly differ.
    constexpr double near_one = 20, hardly = 1e-6;
    const double above = rule.slope * (double{a.logit} - double{b.logit});
    if (a.logit != b.logit) {
        const double lower = rule.slope * static_cast<double>(fminf(a.logit, b.logit)) + rule.offset;
        return lower > near_one ? Sureness::doubtful : is_above_zero(above, hardly);
    }
    return is_above_zero(b.top - a.top, BoxPair::absolute);
}

enum class SuppressionPass : std::uint8_t { within_sizes, among_all };

/// Whether `other` suppresses `own` in a pass, unless it is dropped itself.
template <SuppressionPass pass>
__device__ inline Sureness suppresses(const PlacedCell& other, const PlacedCell& own,
                                      const NetSuppression& rule) {
    const BoxPair pair(own, other);
    if constexpr (pass == SuppressionPass::within_sizes) {
        if (own.size != other.size) return Sureness::no;
        const bool is_stronger = other.logit != own.logit ? other.logit > own.logit : other.rank < own.rank;
        return is_stronger ? pair.overlaps(rule.max_iou) : Sureness::no;
    } else {
        // The first pass left no cells of the same size that overlap.
        const Sureness overlap = own.size == other.size ? Sureness::no : pair.overlaps(rule.max_iou);
        const Sureness nested = overlap == Sureness::yes ? Sureness::no : pair.are_nested();
        if (overlap == Sureness::no && nested == Sureness::no) return Sureness::no;
        const Sureness is_stronger = has_higher_score(other, own, rule);
        if (is_stronger == Sureness::no) return Sureness::no;
        const bool is_hit = overlap == Sureness::yes || nested == Sureness::yes;
        return is_hit && is_stronger == Sureness::yes ? Sureness::yes : Sureness::doubtful;
    }
}

/// Finds the stronger neighbours of cells; a warp looks for those of one cell. Each image has a row of
/// blocks, whose dynamic shared memory is waiting_bytes.
template <SuppressionPass pass>
__global__ void __launch_bounds__(suppression_threads) find_neighbours(SuppressionJob job) {
    extern __shared__ std::uint32_t suppression_memory[];
    let_next_kernel_begin();
    wait_for_kernel_before();
    const std::uint32_t image = blockIdx.y, lane = threadIdx.x % 32;
    // Cells that touch the warp's cell wait until there is one for each lane: to compare takes long.
    std::uint16_t* const waiting =
        reinterpret_cast<std::uint16_t*>(suppression_memory) + threadIdx.x / 32 * max_waiting;
    SuppressionCounts& counts = job.counts[image];
    if (counts.is_doubtful != 0) return;
    const std::uint32_t count = counts.cells, first = image * job.capacity;
    const std::uint32_t warps = gridDim.x * (blockDim.x / 32);
    for (std::uint32_t i = (blockIdx.x * blockDim.x + threadIdx.x) / 32; i < count; i += warps) {
        const float4 reach = job.reaches[first + i];
        if (is_nowhere(reach)) continue;
        const PlacedCell own = job.cells[first + i];
        std::uint16_t* const list = job.neighbours + (static_cast<std::size_t>(first) + i) * max_neighbours;
        std::uint32_t length = 0, waiting_count = 0;
        bool is_doubtful = false;
        const auto compare = [&](std::uint32_t cells) {
            bool is_neighbour = false;
            if (lane < cells) {
                const Sureness answer = suppresses<pass>(job.cells[first + waiting[lane]], own, job.rule);
                is_neighbour = answer == Sureness::yes;
                is_doubtful |= answer == Sureness::doubtful;
            }
            const std::uint32_t lanes = __ballot_sync(all_lanes, is_neighbour);
            const std::uint32_t place = length + __popc(lanes & ((1U << lane) - 1));
            if (is_neighbour && place < max_neighbours) list[place] = waiting[lane];
            length += __popc(lanes);
            __syncwarp();
        };
        constexpr std::uint32_t at_once = 4;  // reaches of a lane, so that it waits for memory less often
        for (std::uint32_t base = 0; base < count; base += 32 * at_once) {
            float4 others[at_once];
#pragma unroll
            for (std::uint32_t n = 0; n < at_once; ++n) {
                const std::uint32_t k = base + 32 * n + lane;
                others[n] = k < count && k != i ? job.reaches[first + k] : nowhere();
            }
#pragma unroll
            for (std::uint32_t n = 0; n < at_once; ++n) {
                const float4& other = others[n];
                const bool touches =
                    other.x <= reach.z && other.z >= reach.x && other.y <= reach.w && other.w >= reach.y;
                const std::uint32_t lanes = __ballot_sync(all_lanes, touches);
                if (lanes == 0) continue;
                if (touches) {
                    waiting[waiting_count + __popc(lanes & ((1U << lane) - 1))] =
                        static_cast<std::uint16_t>(base + 32 * n + lane);
                }
                waiting_count += __popc(lanes);
                __syncwarp();
                if (waiting_count < 32) continue;
                compare(32);
                waiting_count -= 32;
                if (lane < waiting_count) waiting[lane] = waiting[32 + lane];
                __syncwarp();
            }
        }
        compare(waiting_count);
        if (lane == 0 && length < max_neighbours) list[length] = no_neighbour;
        if (is_doubtful || length > max_neighbours) counts.is_doubtful = 1;
    }
}

/// Bytes of shared memory of decide_cells().
constexpr std::size_t decision_bytes(std::size_t capacity) {
    return 2 * capacity;
}

/// Decides which cells a pass leaves; a block decides for an image. The last pass lists them. The dynamic
/// shared memory has decision_bytes().
template <SuppressionPass pass>
__global__ void __launch_bounds__(decision_threads) decide_cells(SuppressionJob job) {
    extern __shared__ std::uint32_t suppression_memory[];
    enum State : std::uint8_t { undecided, stays, dropped };
    auto* const states = reinterpret_cast<std::uint8_t*>(suppression_memory);
    std::uint8_t* const decided = states + job.capacity;  // in this round
    let_next_kernel_begin();
    wait_for_kernel_before();
    const std::uint32_t image = blockIdx.x;
    const SuppressionCounts& counts = job.counts[image];
    if (counts.is_doubtful != 0) return;
    const std::uint32_t count = counts.cells, first = image * job.capacity;
    const auto decision = [&](std::uint32_t i) -> std::uint8_t {
        // Eight neighbours at a time: each look at memory takes long.
        const auto* const list = reinterpret_cast<const uint4*>(
            job.neighbours + (static_cast<std::size_t>(first) + i) * max_neighbours);
        bool waits = false;
        for (int n = 0; n < max_neighbours / 8; ++n) {
            const uint4 eight = list[n];
            for (const std::uint32_t two : {eight.x, eight.y, eight.z, eight.w}) {
                for (const std::uint32_t neighbour : {two & 0xFFFF, two >> 16}) {
                    if (neighbour == no_neighbour) return waits ? undecided : stays;
                    const std::uint8_t state = states[neighbour];
                    if (state == stays) return dropped;
                    waits |= state == undecided;
                }
            }
        }
        return waits ? undecided : stays;
    };
    for (std::uint32_t i = threadIdx.x; i < count; i += blockDim.x)
        states[i] = is_nowhere(job.reaches[first + i]) ? dropped : undecided;
    bool is_open = true;
    while (__syncthreads_or(is_open)) {
        is_open = false;
        for (std::uint32_t i = threadIdx.x; i < count; i += blockDim.x) {
            decided[i] = states[i] == undecided ? decision(i) : states[i];
            is_open |= decided[i] == undecided;
        }
        __syncthreads();
        for (std::uint32_t i = threadIdx.x; i < count; i += blockDim.x) states[i] = decided[i];
    }
    for (std::uint32_t i = threadIdx.x; i < count; i += blockDim.x) {
        if constexpr (pass == SuppressionPass::within_sizes) {
            if (states[i] == dropped) job.reaches[first + i] = nowhere();
        } else {
            if (states[i] == stays)
                job.kept[atomicAdd(job.kept_count, 1U)] = job.found[job.cells[first + i].found];
        }
    }
}

}  // namespace fovea::cuda_backend
