#pragma once

#include <cstdint>

#include "kernels/core/gpu_warp.cuh"
#include "kernels/optical_flow/flow_body.hpp"
#include "kernels/optical_flow/gpu_flow_pyramid_kernels.cuh"

namespace fovea::cuda_backend {

/// A window's values in a block's shared memory, a warp's columns after those of another.
struct GpuWindowLayout {
    explicit GpuWindowLayout(Size window)
        : size(window),
          chunks((window.width + 31) / 32),
          main_columns(flow_main_columns(window.width)),
          rows(chunks * window.height),
          chain_stride(padded(main_columns / 4 * window.height)),
          sum_stride(4 * chain_stride + padded((window.width - main_columns) * window.height)) {}

    std::size_t bytes() const {
        return static_cast<std::size_t>(rows) * 32 * (sizeof(int) + sizeof(short)) +
               3 * static_cast<std::size_t>(sum_stride) * sizeof(float);
    }

    Size size;
    int chunks;  ///< of 32 columns
    int main_columns;
    int rows;  ///< of 32 values

    // The terms of a sum that are added in order: those of each chain in a row, then those of the tail.
    int chain_stride;
    int sum_stride;

  private:
    /// So that chains begin in different banks of the memory, at multiples of four.
    static int padded(int terms) { return (terms + 31) / 32 * 32 + 4; }
};

/// A window whose values a warp keeps; lanes are columns. All lanes give the same results.
///
/// As on the CPU, sums are added as integers where it is proven that OpenCV's floats are exact, and in
/// OpenCV's order elsewhere.
class WarpWindow {
  public:
    __device__ WarpWindow(const GpuWindowLayout& layout, unsigned char* shared)
        : layout_(layout),
          lane_(static_cast<int>(threadIdx.x & 31)),
          terms_(reinterpret_cast<float*>(shared)),
          gradients_(reinterpret_cast<int*>(terms_ + 3 * layout.sum_stride)),
          grey_(reinterpret_cast<short*>(gradients_ + 32 * layout.rows)),
          may_be_exact_(layout.rows <= max_exact_rows) {}

    __device__ FlowMatrix start(const GpuFlowLevel& image, const FlowPlace& place) {
        int main[3] = {0, 0, 0}, tail[3] = {0, 0, 0};
        __syncwarp();
        for (int c = 0; c < layout_.chunks; ++c) {
            const int x = 32 * c + lane_;
            if (x >= layout_.size.width) continue;
            int sums[3] = {0, 0, 0};
            take_column(image, place, c, x, sums);
            const bool is_tail = x >= layout_.main_columns;
#pragma unroll
            for (int i = 0; i < 3; ++i) {
                main[i] += is_tail ? 0 : sums[i];
                tail[i] += is_tail ? sums[i] : 0;
            }
        }
        __syncwarp();
        // Bounds from above, in steps of 32.
        main_squares_ =
            static_cast<float>(max(chain_sum(main[0] / 32 + 1), chain_sum(main[2] / 32 + 1))) * 32;
        tail_squares_ = static_cast<float>(max(warp_sum(tail[0] / 32 + 1), warp_sum(tail[2] / 32 + 1))) * 32;
        const bool exact =
            may_be_exact_ && __all_sync(all_lanes, main_squares_ < max_exact && tail_squares_ < max_exact);
        if (exact) {
            return {exact_total(main[0], tail[0]), exact_total(main[1], tail[1]),
                    exact_total(main[2], tail[2])};
        }
        store_squares();
        const float sum = sum_in_order(3, layout_.main_columns / 4);
        return {ordered_total(sum, 0), ordered_total(sum, 1), ordered_total(sum, 2)};
    }

    __device__ FlowMismatch mismatch(const GpuFlowLevel& next, const FlowPlace& place) {
        int main[2] = {0, 0}, tail[2] = {0, 0};
        unsigned main_square = 0, tail_square = 0;
        for (int c = 0; c < layout_.chunks; ++c) {
            const int x = 32 * c + lane_;
            if (x >= layout_.size.width) continue;
            const bool is_tail = x >= layout_.main_columns;
            int sum_x = 0, sum_y = 0;
            unsigned square = 0;
            for_differences(next, place, c, x, [&](int at, int difference) {
                const int gradient = gradients_[at];
                sum_x += difference * x_of(gradient);
                sum_y += difference * y_of(gradient);
                square += static_cast<unsigned>(difference * difference);
            });
            main[0] += is_tail ? 0 : sum_x;
            main[1] += is_tail ? 0 : sum_y;
            main_square += is_tail ? 0 : square;
            tail[0] += is_tail ? sum_x : 0;
            tail[1] += is_tail ? sum_y : 0;
            tail_square += is_tail ? square : 0;
        }
        const float main_bound =
            static_cast<float>(chain_sum(static_cast<int>(main_square / 32) + 1)) * 32 * main_squares_;
        const float tail_bound =
            static_cast<float>(warp_sum(static_cast<int>(tail_square / 32) + 1)) * 32 * tail_squares_;
        constexpr float limit = max_exact * max_exact;
        if (may_be_exact_ && __all_sync(all_lanes, main_bound < limit && tail_bound < limit)) {
            return {exact_total(main[0], tail[0]), exact_total(main[1], tail[1])};
        }
        store_products(next, place);
        const float sum = sum_in_order(2, layout_.main_columns / 8);
        return {ordered_total(sum, 0), ordered_total(sum, 1)};
    }

    /// The sum of absolute differences.
    __device__ float difference(const GpuFlowLevel& next, const FlowPlace& place) {
        int sum = 0;
        __syncwarp();
        for (int c = 0; c < layout_.chunks; ++c) {
            const int x = 32 * c + lane_;
            if (x >= layout_.size.width) continue;
            for_differences(next, place, c, x, [&](int at, int value) {
                sum += abs(value);
                const int y = (at - lane_) / 32 - c * layout_.size.height;
                terms_[y * layout_.size.width + x] = static_cast<float>(abs(value));
            });
        }
        __syncwarp();
        const int total = warp_sum(sum);
        // Below, every partial sum is exact.
        if (total <= 1 << 24) return static_cast<float>(total);
        float ordered = 0;
        const int terms = layout_.size.width * layout_.size.height;
        for (int i = 0; i < terms; ++i) ordered = __fadd_rn(ordered, terms_[i]);
        return ordered;
    }

  private:
    static constexpr float max_exact = 16777216.0F * 0.999F;
    // So many squares of up to 8160 fit into 32 bits.
    static constexpr int max_exact_rows = 64;

    static __device__ int x_of(int gradient) {
        return static_cast<short>(gradient & 0xFFFF);
    }
    static __device__ int y_of(int gradient) {
        return gradient >> 16;
    }

    static __device__ int weighted(int top_left, int top_right, int bottom_left, int bottom_right,
                                   const FlowWeights& w, int shift) {
        return (w.top_left * top_left + w.top_right * top_right + w.bottom_left * bottom_left +
                w.bottom_right * bottom_right + (1 << (shift - 1))) >>
               shift;
    }

    // Terms of Scharr's operator in a row, for two neighbouring pixels.
    struct Row {
        int centre[2], across[2], sum[2];
    };
    static __device__ Row read_row(const std::uint8_t* at) {
        const int p[4] = {__ldg(at - 1), __ldg(at), __ldg(at + 1), __ldg(at + 2)};
        Row row;
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            row.centre[i] = p[i + 1];
            row.across[i] = p[i + 2] - p[i];
            row.sum[i] = 3 * (p[i] + p[i + 2]) + 10 * p[i + 1];
        }
        return row;
    }

    // A column's grey values and gradients, and the sums of the gradients' products.
    __device__ void take_column(const GpuFlowLevel& image, const FlowPlace& place, int chunk, int x,
                                int (&sums)[3]) {
        const std::uint8_t* at = image.origin + (place.y - 1) * image.stride + place.x + x;
        const int left = place.x + x;
        const int inside[2] = {left >= 0 && left < image.width, left + 1 >= 0 && left + 1 < image.width};
        Row above = read_row(at), here = read_row(at += image.stride);
        int last_x[2] = {0, 0}, last_y[2] = {0, 0};
        int last_grey[2] = {here.centre[0], here.centre[1]};
        int to = 32 * chunk * layout_.size.height + lane_;
        // So many rows are read at once.
#pragma unroll 8
        for (int y = 0; y <= layout_.size.height; ++y) {
            const Row below = read_row(at += image.stride);
            const int row = place.y + y;
            const int in_rows = row >= 0 && row < image.height;
            int gradient_x[2], gradient_y[2];
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                const int exists = inside[i] & in_rows;
                gradient_x[i] = exists * (3 * (above.across[i] + below.across[i]) + 10 * here.across[i]);
                gradient_y[i] = exists * (below.sum[i] - above.sum[i]);
            }
            if (y > 0) {
                const int dx = weighted(last_x[0], last_x[1], gradient_x[0], gradient_x[1], place.weights,
                                        flow_gradient_shift);
                const int dy = weighted(last_y[0], last_y[1], gradient_y[0], gradient_y[1], place.weights,
                                        flow_gradient_shift);
                gradients_[to] = (dx & 0xFFFF) | static_cast<int>(static_cast<unsigned>(dy) << 16);
                grey_[to] = static_cast<short>(weighted(last_grey[0], last_grey[1], here.centre[0],
                                                        here.centre[1], place.weights, flow_grey_shift));
                sums[0] += dx * dx;
                sums[1] += dx * dy;
                sums[2] += dy * dy;
                to += 32;
            }
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                last_x[i] = gradient_x[i];
                last_y[i] = gradient_y[i];
                last_grey[i] = here.centre[i];
            }
            above = here;
            here = below;
        }
    }

    // Calls use(place in shared memory, difference) for a column's values.
    template <class Use>
    __device__ void for_differences(const GpuFlowLevel& next, const FlowPlace& place, int chunk, int x,
                                    const Use& use) const {
        const std::uint8_t* at = next.origin + place.y * next.stride + place.x + x;
        int first = __ldg(at), second = __ldg(at + 1);
        int to = 32 * chunk * layout_.size.height + lane_;
#pragma unroll 7
        for (int y = 0; y < layout_.size.height; ++y, to += 32) {
            at += next.stride;
            const int third = __ldg(at), fourth = __ldg(at + 1);
            use(to, weighted(first, second, third, fourth, place.weights, flow_grey_shift) - grey_[to]);
            first = third;
            second = fourth;
        }
    }

    // --- sums ---

    // The sum over the lanes whose number is the same modulo 4.
    static __device__ int chain_sum(int value) {
#pragma unroll
        for (int distance = 4; distance < 32; distance *= 2) {
            value += __shfl_xor_sync(all_lanes, value, distance);
        }
        return value;
    }

    // flow_total, where lane c has chain c.
    static __device__ float joined(float chain, float tail) {
        const float pair = __fadd_rn(chain, __shfl_xor_sync(all_lanes, chain, 2));
        const float both = __fadd_rn(pair, __shfl_xor_sync(all_lanes, pair, 1));
        return __fadd_rn(tail, __shfl_sync(all_lanes, both, 0));
    }
    static __device__ float exact_total(int main, int tail) {
        return joined(static_cast<float>(chain_sum(main)), static_cast<float>(warp_sum(tail)));
    }

    // Where the first of a column's terms lies in a sum.
    __device__ int first_term(int x, int columns_of_term) const {
        return x < layout_.main_columns ? x % 4 * layout_.chain_stride + x / columns_of_term
                                        : 4 * layout_.chain_stride + x - layout_.main_columns;
    }
    // How far the next one is from it.
    __device__ int term_step(int x, int columns_of_term) const {
        return x < layout_.main_columns ? layout_.main_columns / columns_of_term
                                        : layout_.size.width - layout_.main_columns;
    }

    // Terms of three sums.
    __device__ void store_squares() {
        for (int c = 0; c < layout_.chunks; ++c) {
            const int x = 32 * c + lane_;
            if (x >= layout_.size.width) continue;
            float* to = terms_ + first_term(x, 4);
            const int step = term_step(x, 4);
            for (int y = 0; y < layout_.size.height; ++y, to += step) {
                const int gradient = gradients_[32 * (c * layout_.size.height + y) + lane_];
                const int dx = x_of(gradient), dy = y_of(gradient);
                to[0] = static_cast<float>(dx * dx);
                to[layout_.sum_stride] = static_cast<float>(dx * dy);
                to[2 * layout_.sum_stride] = static_cast<float>(dy * dy);
            }
        }
        __syncwarp();
    }

    // Terms of two sums. Two columns at a distance of four are added as integers: each eight columns give
    // four terms.
    __device__ void store_products(const GpuFlowLevel& next, const FlowPlace& place) {
        __syncwarp();
        for (int c = 0; c < layout_.chunks; ++c) {
            const int x = 32 * c + lane_;
            // All lanes must take part in the exchange.
            const int read = min(x, layout_.size.width - 1);
            const bool is_main = x < layout_.main_columns;
            const bool stores = x < layout_.size.width && (!is_main || x % 8 < 4);
            float* to = terms_ + first_term(read, 8);
            const int step = term_step(read, 8);
            for_differences(next, place, c, read, [&](int at, int difference) {
                const int gradient = gradients_[at];
                int sum_x = difference * x_of(gradient), sum_y = difference * y_of(gradient);
                const int far_x = __shfl_down_sync(all_lanes, sum_x, 4),
                          far_y = __shfl_down_sync(all_lanes, sum_y, 4);
                if (!stores) return;
                sum_x += is_main ? far_x : 0;
                sum_y += is_main ? far_y : 0;
                to[0] = static_cast<float>(sum_x);
                to[layout_.sum_stride] = static_cast<float>(sum_y);
                to += step;
            });
        }
        __syncwarp();
    }

    // Lane 5 · s + c receives chain c of sum s, or the tail (c = 4).
    // \param chain_terms of a chain in each row.
    __device__ float sum_in_order(int sums, int chain_terms) const {
        const int sum_of_lane = lane_ / 5, chain = lane_ % 5;
        float sum = 0;
        if (sum_of_lane < sums) {
            const int count =
                layout_.size.height * (chain == 4 ? layout_.size.width - layout_.main_columns : chain_terms);
            const float* const from =
                terms_ + sum_of_lane * layout_.sum_stride + chain * layout_.chain_stride;
            int i = 0;
#pragma unroll 4
            for (; i + 4 <= count; i += 4) {
                const float4 terms = *reinterpret_cast<const float4*>(from + i);
                sum = __fadd_rn(sum, terms.x);
                sum = __fadd_rn(sum, terms.y);
                sum = __fadd_rn(sum, terms.z);
                sum = __fadd_rn(sum, terms.w);
            }
            for (; i < count; ++i) sum = __fadd_rn(sum, from[i]);
        }
        __syncwarp();
        return sum;
    }
    static __device__ float ordered_total(float sum, int number) {
        const int lane = static_cast<int>(threadIdx.x & 3);
        return joined(__shfl_sync(all_lanes, sum, 5 * number + lane),
                      __shfl_sync(all_lanes, sum, 5 * number + 4));
    }

    const GpuWindowLayout& layout_;
    int lane_;
    float* terms_;    // [sum][sum_stride]
    int* gradients_;  // [chunk][row][lane]: x and y
    short* grey_;     // [chunk][row][lane]
    bool may_be_exact_;
    float main_squares_ = 0, tail_squares_ = 0;
};

}  // namespace fovea::cuda_backend
