#pragma once

#include <cstdint>

#include "kernels/core/gpu_warp.cuh"
#include "kernels/optical_flow/flow_body.hpp"
#include "kernels/optical_flow/gpu_window_values.cuh"

namespace fovea::cuda_backend {

/// The sums over a window, as PointFollower needs them. A warp keeps the values; lanes are columns. All lanes
/// give the same results. Sums are added as on the CPU: as integers where OpenCV's floats are proven to be
/// exact, else in OpenCV's order.
class WarpWindow : private WindowValues {
  public:
    __device__ WarpWindow(const GpuWindowLayout& layout, unsigned char* shared)
        : WindowValues(layout, shared + 3 * sizeof(float) * layout.sum_stride),
          terms_(reinterpret_cast<float*>(shared)),
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
        // Upper bounds, in steps of 32.
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
            for_differences(next, place, c, x, [&](const Values& values) {
#pragma unroll
                for (int i = 0; i < rows_at_once; ++i) {
                    if (i >= values.count) break;
                    const int difference = values.difference[i];
                    sum_x += difference * x_of(values.gradient[i]);
                    sum_y += difference * y_of(values.gradient[i]);
                    square += static_cast<unsigned>(difference * difference);
                }
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
            for_differences(next, place, c, x, [&](const Values& values) {
#pragma unroll
                for (int i = 0; i < rows_at_once; ++i) {
                    if (i >= values.count) break;
                    const int value = abs(values.difference[i]);
                    sum += value;
                    terms_[(values.row + i) * layout_.size.width + x] = static_cast<float>(value);
                }
            });
        }
        __syncwarp();
        const int total = warp_sum(sum);
        // Up to 2^24, every partial sum is exact.
        if (total <= 1 << 24) return static_cast<float>(total);
        float ordered = 0;
        const int terms = layout_.size.width * layout_.size.height;
        for (int i = 0; i < terms; ++i) ordered = __fadd_rn(ordered, terms_[i]);
        return ordered;
    }

  private:
    static constexpr float max_exact = 16777216.0F * 0.999F;
    // So many squares of values up to 8160 fit into 32 bits.
    static constexpr int max_exact_rows = 64;

    // The sum over the lanes of the same number modulo 4.
    static __device__ int chain_sum(int value) {
#pragma unroll
        for (int distance = 4; distance < 32; distance *= 2) {
            value += __shfl_xor_sync(all_lanes, value, distance);
        }
        return value;
    }

    // flow_total(), where lane c has chain c.
    static __device__ float joined(float chain, float tail) {
        const float pair = __fadd_rn(chain, __shfl_xor_sync(all_lanes, chain, 2));
        const float both = __fadd_rn(pair, __shfl_xor_sync(all_lanes, pair, 1));
        return __fadd_rn(tail, __shfl_sync(all_lanes, both, 0));
    }
    static __device__ float exact_total(int main, int tail) {
        return joined(static_cast<float>(chain_sum(main)), static_cast<float>(warp_sum(tail)));
    }

    // The place of a column's first term in a sum.
    __device__ int first_term(int x, int columns_of_term) const {
        return x < layout_.main_columns ? x % 4 * layout_.chain_stride + x / columns_of_term
                                        : 4 * layout_.chain_stride + x - layout_.main_columns;
    }
    // The distance from one of a column's terms to the next.
    __device__ int term_step(int x, int columns_of_term) const {
        return x < layout_.main_columns ? layout_.main_columns / columns_of_term
                                        : layout_.size.width - layout_.main_columns;
    }

    // Stores the terms of the three sums of start().
    __device__ void store_squares() {
        for (int c = 0; c < layout_.chunks; ++c) {
            const int x = 32 * c + lane_;
            if (x >= layout_.size.width) continue;
            float* to = terms_ + first_term(x, 4);
            const int step = term_step(x, 4);
            const int* const column = gradients_ + 32 * c * layout_.size.height + lane_;
            for (int row = 0; row < layout_.size.height; row += rows_at_once) {
                int gradient[rows_at_once];
#pragma unroll
                for (int i = 0; i < rows_at_once; ++i)
                    gradient[i] = column[32 * min(row + i, layout_.size.height - 1)];
#pragma unroll
                for (int i = 0; i < rows_at_once; ++i, to += step) {
                    if (row + i >= layout_.size.height) break;
                    const int dx = x_of(gradient[i]), dy = y_of(gradient[i]);
                    to[0] = static_cast<float>(dx * dx);
                    to[layout_.sum_stride] = static_cast<float>(dx * dy);
                    to[2 * layout_.sum_stride] = static_cast<float>(dy * dy);
                }
            }
        }
        __syncwarp();
    }

    // Stores the terms of the two sums of mismatch(). Two columns at a distance of four are added as
    // integers, so that eight columns give four terms.
    __device__ void store_products(const GpuFlowLevel& next, const FlowPlace& place) {
        __syncwarp();
        for (int c = 0; c < layout_.chunks; ++c) {
            const int x = 32 * c + lane_;
            // All lanes must take part in the shuffles.
            const int read = min(x, layout_.size.width - 1);
            const bool is_main = x < layout_.main_columns;
            const bool stores = x < layout_.size.width && (!is_main || x % 8 < 4);
            float* to = terms_ + first_term(read, 8);
            const int step = term_step(read, 8);
            for_differences(next, place, c, read, [&](const Values& values) {
                int sum_x[rows_at_once], sum_y[rows_at_once];
#pragma unroll
                for (int i = 0; i < rows_at_once; ++i) {
                    sum_x[i] = values.difference[i] * x_of(values.gradient[i]);
                    sum_y[i] = values.difference[i] * y_of(values.gradient[i]);
                    const int far_x = __shfl_down_sync(all_lanes, sum_x[i], 4),
                              far_y = __shfl_down_sync(all_lanes, sum_y[i], 4);
                    sum_x[i] += is_main ? far_x : 0;
                    sum_y[i] += is_main ? far_y : 0;
                }
                if (!stores) return;
#pragma unroll
                for (int i = 0; i < rows_at_once; ++i) {
                    if (i >= values.count) break;
                    to[i * step] = static_cast<float>(sum_x[i]);
                    to[i * step + layout_.sum_stride] = static_cast<float>(sum_y[i]);
                }
                to += rows_at_once * step;
            });
        }
        __syncwarp();
    }

    // Adds terms in order: lane 5 · s + c receives chain c of sum s, or its tail (c = 4).
    // \param chain_terms terms of a chain in each row.
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

    float* terms_;  // [sum][sum_stride]
    bool may_be_exact_;
    float main_squares_ = 0, tail_squares_ = 0;
};

}  // namespace fovea::cuda_backend
