#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "kernels/core/gpu_memory.cuh"
#include "kernels/core/host_copy.hpp"

namespace fovea::cuda_backend {

/// Brings rows of numbers from host memory to a GPU in slices, through page-locked memory, so that the host's
/// copies, transfers and the GPU's work overlap.
class RowUploader {
  public:
    explicit RowUploader(int device) : device_(device), halves_{{device}, {device}} {}

    /// Calls use(rows, first, count) for every slice; `rows` is device memory that work queued on the stream
    /// by use() may read.
    template <class Value, class Use>
    void upload(cudaStream_t stream, const Value* rows, std::size_t count, std::size_t columns,
                const Use& use) {
        const std::size_t row_bytes = columns * sizeof(Value);
        const std::size_t slice = std::clamp<std::size_t>(bytes_of_slice / row_bytes, 1, count);
        int next = 0;
        for (std::size_t first = 0; first < count; first += slice) {
            Half& half = halves_[next];
            next = 1 - next;
            const std::size_t rows_now = std::min(slice, count - first);
            if (std::exchange(half.is_unmarked, false)) {
                check(cudaStreamSynchronize(stream), device_, "waiting for queued work");
            } else {
                half.taken.wait();
            }
            half.host.reserve(slice * row_bytes);
            half.device.reserve(slice * row_bytes);
            copy_rows(
                {reinterpret_cast<const std::uint8_t*>(rows + first * columns), static_cast<int>(row_bytes),
                 static_cast<int>(rows_now), static_cast<std::ptrdiff_t>(row_bytes)},
                half.host.at<std::uint8_t>());
            check(cudaSetDevice(device_), device_, "selecting the device");
            check(cudaMemcpyAsync(half.device.at(), half.host.at(), rows_now * row_bytes,
                                  cudaMemcpyHostToDevice, stream),
                  device_, "copying rows to it");
            use(half.device.at<const Value>(), first, rows_now);
            // An event behind the last slice would keep kernels that follow from being chained. Whoever
            // brings rows next has as a rule waited for the stream.
            half.is_unmarked = first + slice >= count;
            if (!half.is_unmarked) half.taken.record(stream);
        }
    }

  private:
    static constexpr std::size_t bytes_of_slice = std::size_t{8} << 20;

    struct Half {
        Half(int index) : host(index, true), device(index), taken(index) {}
        HostMemory host;
        DeviceMemory device;
        Event taken;
        bool is_unmarked = false;
    };

    int device_;
    Half halves_[2];
};

}  // namespace fovea::cuda_backend
