#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/optical_flow/flow_body.hpp"
#include "kernels/optical_flow/gpu_flow_pyramid_kernels.cuh"

namespace fovea::cuda_backend {

/// How a window's values lie in a block's shared memory: 32 columns after the other.
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
    int chunks;  ///< number of parts of 32 columns
    int main_columns;
    int rows;  ///< number of rows of 32 values

    // The terms of a sum that is added in order: the terms of each chain, then the terms of the tail.
    int chain_stride;
    int sum_stride;

  private:
    /// Chains begin in different banks of the memory, at multiples of four.
    static int padded(int terms) { return (terms + 31) / 32 * 32 + 4; }
};

/// The grey values and gradients of a window, which a warp reads; lanes are columns.
class WindowValues {
  public:
    /// \param memory shared, for gradients and grey values.
    __device__ WindowValues(const GpuWindowLayout& layout, unsigned char* memory)
        : layout_(layout),
          lane_(static_cast<int>(threadIdx.x & 31)),
          gradients_(reinterpret_cast<int*>(memory)),
          grey_(reinterpret_cast<short*>(gradients_ + 32 * layout.rows)) {}

  protected:
    static __device__ int x_of(int gradient) { return static_cast<short>(gradient & 0xFFFF); }
    static __device__ int y_of(int gradient) { return gradient >> 16; }

    // Makes a column's grey values and gradients, and adds the products of gradients to `sums`.
    __device__ void take_column(const GpuFlowLevel& image, const FlowPlace& place, int chunk, int x,
                                int (&sums)[3]) {
        const std::uint8_t* const top = image.origin + (place.y - 1) * image.stride + place.x + x;
        const int left = place.x + x, height = layout_.size.height;
        const int inside[2] = {left >= 0 && left < image.width, left + 1 >= 0 && left + 1 < image.width};
        Row above = read_row(top), here = read_row(top + image.stride);
        int last_x[2] = {0, 0}, last_y[2] = {0, 0};
        int last_grey[2] = {here.centre[0], here.centre[1]};
        int to = 32 * chunk * height + lane_;
        for (int first = 0; first <= height; first += gradient_rows_at_once) {
            Row next[gradient_rows_at_once];
#pragma unroll
            for (int i = 0; i < gradient_rows_at_once; ++i)
                next[i] = read_row(top + min(first + i + 2, height + 2) * image.stride);
#pragma unroll
            for (int i = 0; i < gradient_rows_at_once; ++i) {
                const int y = first + i;
                if (y > height) break;
                const Row& below = next[i];
                const int row = place.y + y;
                const int in_rows = row >= 0 && row < image.height;
                int gradient_x[2], gradient_y[2];
#pragma unroll
                for (int k = 0; k < 2; ++k) {
                    const int exists = inside[k] & in_rows;
                    gradient_x[k] = exists * (3 * (above.across[k] + below.across[k]) + 10 * here.across[k]);
                    gradient_y[k] = exists * (below.sum[k] - above.sum[k]);
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
                for (int k = 0; k < 2; ++k) {
                    last_x[k] = gradient_x[k];
                    last_y[k] = gradient_y[k];
                    last_grey[k] = here.centre[k];
                }
                above = here;
                here = below;
            }
        }
    }

    // So many rows are loaded before the first is used.
    static constexpr int rows_at_once = 7;

    /// A column's values in neighbouring rows.
    struct Values {
        int row, count;
        int difference[rows_at_once];
        int gradient[rows_at_once];
    };

    // Calls use(values) for all values of a column, with their differences to the window's values at `place`.
    template <class Use>
    __device__ void for_differences(const GpuFlowLevel& next, const FlowPlace& place, int chunk, int x,
                                    const Use& use) const {
        const std::uint8_t* const top = next.origin + place.y * next.stride + place.x + x;
        const int height = layout_.size.height;
        const int column = 32 * chunk * height + lane_;
        for (int row = 0; row < height; row += rows_at_once) {
            int left[rows_at_once + 1], right[rows_at_once + 1], grey[rows_at_once];
            Values values;
            values.row = row;
            values.count = min(rows_at_once, height - row);
#pragma unroll
            for (int i = 0; i <= rows_at_once; ++i) {
                const std::uint8_t* const at = top + min(row + i, height) * next.stride;
                left[i] = __ldg(at);
                right[i] = __ldg(at + 1);
            }
#pragma unroll
            for (int i = 0; i < rows_at_once; ++i) {
                const int at = column + 32 * min(row + i, height - 1);
                values.gradient[i] = gradients_[at];
                grey[i] = grey_[at];
            }
#pragma unroll
            for (int i = 0; i < rows_at_once; ++i) {
                values.difference[i] =
                    weighted(left[i], right[i], left[i + 1], right[i + 1], place.weights, flow_grey_shift) -
                    grey[i];
            }
            use(values);
        }
    }

    const GpuWindowLayout& layout_;
    int lane_;
    int* gradients_;  // [chunk][row][lane]: x and y
    short* grey_;     // [chunk][row][lane]

  private:
    static constexpr int gradient_rows_at_once = 4;

    static __device__ int weighted(int top_left, int top_right, int bottom_left, int bottom_right,
                                   const FlowWeights& w, int shift) {
        return (w.top_left * top_left + w.top_right * top_right + w.bottom_left * bottom_left +
                w.bottom_right * bottom_right + (1 << (shift - 1))) >>
               shift;
    }

    // The terms of Scharr's operator in a row, for two neighbouring pixels.
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
};

}  // namespace fovea::cuda_backend
