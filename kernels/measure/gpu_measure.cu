#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "kernels/core/buffer.hpp"
#include "kernels/core/gpu_launch.cuh"
#include "kernels/core/stopwatch.hpp"
#include "kernels/measure/measure.hpp"

namespace fovea {
namespace {

using cuda_backend::check;

constexpr int block_threads = 256;

// --- kernels -------------------------------------------------------------------------------------

__global__ void empty_kernel() {}

constexpr int chains = 8;
constexpr int unrolled = 8;

// Each chain takes in its neighbour, so that no step can be left out or several be made one.
template <IntegerOperation operation>
__global__ void __launch_bounds__(block_threads)
    integer_kernel(std::uint32_t* out, std::uint32_t seed, int iterations) {
    std::uint32_t value[chains];
#pragma unroll
    for (int chain = 0; chain < chains; ++chain) value[chain] = seed * (chain + 1) + threadIdx.x;
    const std::uint32_t factor = seed | 1;
    for (int iteration = 0; iteration < iterations; ++iteration) {
#pragma unroll
        for (int step = 0; step < unrolled; ++step) {
#pragma unroll
            for (int chain = 0; chain < chains; ++chain) {
                const std::uint32_t neighbour = value[(chain + 1) % chains];
                value[chain] = operation == IntegerOperation::add ? value[chain] + neighbour
                                                                  : value[chain] * factor + neighbour;
            }
        }
    }
    std::uint32_t sum = 0;
#pragma unroll
    for (int chain = 0; chain < chains; ++chain) sum ^= value[chain];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

constexpr int shared_words = 1024;
constexpr int shared_chains = 4;

// Words hold the address of the word that is loaded next, `stride` words on. All lanes of a warp move by the
// same number of words, so they stay in 32 different banks.
__global__ void __launch_bounds__(block_threads)
    shared_load_kernel(std::uint32_t* out, int stride, int iterations) {
    __shared__ std::uint32_t words[shared_words];
    const auto base = static_cast<std::uint32_t>(__cvta_generic_to_shared(words));
    for (int word = threadIdx.x; word < shared_words; word += blockDim.x)
        words[word] = base + static_cast<std::uint32_t>((word + stride) % shared_words * sizeof(words[0]));
    __syncthreads();
    std::uint32_t address[shared_chains];
#pragma unroll
    for (int chain = 0; chain < shared_chains; ++chain) {
        address[chain] = base + static_cast<std::uint32_t>((threadIdx.x + chain * block_threads) %
                                                           shared_words * sizeof(words[0]));
    }
    for (int iteration = 0; iteration < iterations; ++iteration) {
#pragma unroll
        for (int step = 0; step < unrolled; ++step) {
#pragma unroll
            for (int chain = 0; chain < shared_chains; ++chain)
                asm volatile("ld.shared.u32 %0, [%0];" : "+r"(address[chain]));
        }
    }
    std::uint32_t sum = 0;
#pragma unroll
    for (int chain = 0; chain < shared_chains; ++chain) sum ^= address[chain];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// --- what owns things ----------------------------------------------------------------------------

cudaStream_t stream_of(const Device& device) {
    return static_cast<cudaStream_t>(device.stream());
}

void select(const Device& device) {
    check(cudaSetDevice(device.index()), device.index(), "selecting the device");
}

class Event {
  public:
    explicit Event(const Device& device) : device_(device) {
        select(device);
        check(cudaEventCreate(&event_), device.index(), "creating an event");
    }
    ~Event() { cudaEventDestroy(event_); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;

    void record() const { check(cudaEventRecord(event_, stream_of(device_)), device_.index(), "timing"); }
    double seconds_since(const Event& start) const {
        check(cudaEventSynchronize(event_), device_.index(), "waiting for what is measured");
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, start.event_, event_), device_.index(), "timing");
        return milliseconds / 1e3;
    }

  private:
    const Device& device_;
    cudaEvent_t event_ = nullptr;
};

/// Seconds on the device's stream that the work which `queue()` queues takes.
class StreamClock {
  public:
    explicit StreamClock(const Device& device) : start_(device), end_(device) {}

    template <class Queue>
    double seconds(const Queue& queue) const {
        start_.record();
        queue();
        end_.record();
        return end_.seconds_since(start_);
    }

  private:
    Event start_, end_;
};

/// Host memory of one of the two kinds, its pages touched.
class HostBytes {
  public:
    HostBytes(const Device& device, HostMemory memory, std::size_t bytes) {
        select(device);
        if (memory == HostMemory::pinned) {
            void* pinned = nullptr;
            check(cudaMallocHost(&pinned, bytes), device.index(), "allocating pinned host memory");
            pinned_.reset(static_cast<std::uint8_t*>(pinned));
        } else {
            pageable_ = std::make_unique<std::uint8_t[]>(bytes);
        }
        std::memset(data(), 1, bytes);
    }

    std::uint8_t* data() const { return pinned_ ? pinned_.get() : pageable_.get(); }

  private:
    struct FreePinned {
        void operator()(std::uint8_t* memory) const { cudaFreeHost(memory); }
    };
    std::unique_ptr<std::uint8_t, FreePinned> pinned_;
    std::unique_ptr<std::uint8_t[]> pageable_;
};

/// Kernels recorded once and launched as a whole.
class Graph {
  public:
    template <class Queue>
    Graph(const Device& device, const Queue& queue) : device_(device) {
        select(device);
        const int index = device.index();
        check(cudaStreamBeginCapture(stream_of(device), cudaStreamCaptureModeThreadLocal), index,
              "recording a graph");
        queue();
        cudaGraph_t recorded = nullptr;
        check(cudaStreamEndCapture(stream_of(device), &recorded), index, "recording a graph");
        const cudaError_t status = cudaGraphInstantiate(&graph_, recorded, 0);
        cudaGraphDestroy(recorded);
        check(status, index, "instantiating a graph");
    }
    ~Graph() { cudaGraphExecDestroy(graph_); }
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;

    void launch() const {
        check(cudaGraphLaunch(graph_, stream_of(device_)), device_.index(), "launching a graph");
    }

  private:
    const Device& device_;
    cudaGraphExec_t graph_ = nullptr;
};

void copy(const Device& device, void* to, const void* from, std::size_t bytes) {
    cuda_backend::copy(device.index(), device.stream(), to, from, bytes);
}

/// A copy between two places, one on the host and one on the device.
struct HostDeviceCopy {
    HostDeviceCopy(const Device& on, CopyDirection direction, HostMemory memory, std::size_t size)
        : device(on),
          host(on, memory, size),
          there(on, size),
          bytes(size),
          upload(direction == CopyDirection::upload) {
        check(cudaMemsetAsync(there.data(), 1, size, stream_of(on)), on.index(), "filling memory");
    }

    void queue() const {
        copy(device, upload ? there.data() : host.data(), upload ? host.data() : there.data(), bytes);
    }

    const Device& device;
    HostBytes host;
    Buffer<std::uint8_t> there;
    std::size_t bytes;
    bool upload;
};

/// Runs `kernel(out, parameter, iterations)` in as many threads as the device holds, for about `seconds`.
/// Work: threads × iterations × `per_iteration`.
template <class Kernel, class Parameter>
Timing measure_full_device(const Device& device, const char* name, Kernel kernel, Parameter parameter,
                           double per_iteration, double seconds, int repeat) {
    select(device);
    const int index = device.index();
    int multiprocessors = 0, blocks_each = 0;
    check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, index), index, name);
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_each, kernel, block_threads, 0), index, name);
    const int blocks = multiprocessors * std::max(blocks_each, 1);
    const Buffer<std::uint32_t> out(device, static_cast<std::size_t>(blocks) * block_threads);
    const StreamClock clock(device);
    const auto seconds_of = [&](int iterations) {
        return clock.seconds([&] {
            kernel<<<blocks, block_threads, 0, stream_of(device)>>>(out.data(), parameter, iterations);
            check(cudaGetLastError(), index, name);
        });
    };
    const int iterations = calibrated_iterations(seconds, 8, seconds_of);
    Timing timing{per_iteration * iterations * static_cast<double>(out.size()), {}};
    timing.seconds = repeated(repeat, [&] { return seconds_of(iterations); });
    return timing;
}

}  // namespace

Timing measure_transfer(const Device& device, CopyDirection direction, HostMemory memory, std::size_t bytes,
                        int repeat) {
    const HostDeviceCopy copy(device, direction, memory, bytes);
    const StreamClock clock(device);
    Timing timing{static_cast<double>(bytes), {}};
    timing.seconds = repeated(repeat, [&] { return clock.seconds([&] { copy.queue(); }); });
    return timing;
}

Timing measure_transfer_latency(const Device& device, CopyDirection direction, std::size_t bytes,
                                int repeat) {
    const HostDeviceCopy copy(device, direction, HostMemory::pinned, bytes);
    const auto copy_and_wait = [&] {
        copy.queue();
        device.synchronize();
    };
    return {1, repeated(repeat, [&] { return host_seconds(copy_and_wait); })};
}

Timing measure_device_copy(const Device& device, std::size_t bytes, int repeat) {
    const Buffer<std::uint8_t> from(device, bytes), to(device, bytes);
    check(cudaMemsetAsync(from.data(), 1, bytes, stream_of(device)), device.index(), "filling memory");
    const StreamClock clock(device);
    Timing timing{2.0 * static_cast<double>(bytes), {}};
    timing.seconds =
        repeated(repeat, [&] { return clock.seconds([&] { copy(device, to.data(), from.data(), bytes); }); });
    return timing;
}

Timing measure_launches(const Device& device, int kernels, bool as_graph, int repeat) {
    select(device);
    const auto queue = [&] {
        for (int kernel = 0; kernel < kernels; ++kernel) {
            empty_kernel<<<1, 32, 0, stream_of(device)>>>();
            check(cudaGetLastError(), device.index(), "launching an empty kernel");
        }
    };
    if (!as_graph) {
        return {1, repeated(repeat, [&] {
                    return host_seconds([&] {
                        queue();
                        device.synchronize();
                    });
                })};
    }
    const Graph graph(device, queue);
    return {1, repeated(repeat, [&] {
                return host_seconds([&] {
                    graph.launch();
                    device.synchronize();
                });
            })};
}

Timing measure_device_integer(const Device& device, IntegerOperation operation, double seconds, int repeat) {
    const auto kernel = operation == IntegerOperation::add ? integer_kernel<IntegerOperation::add>
                                                           : integer_kernel<IntegerOperation::multiply_add>;
    return measure_full_device(device, "measuring integer operations", kernel, 2654435761u, chains * unrolled,
                               seconds, repeat);
}

Timing measure_shared_loads(const Device& device, double seconds, int repeat) {
    // Any odd number of rows of 32 words visits all of them.
    return measure_full_device(device, "measuring loads from shared memory", shared_load_kernel, 3 * 32,
                               shared_chains * unrolled, seconds, repeat);
}

std::size_t free_device_memory(const Device& device) {
    select(device);
    std::size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total), device.index(), "asking for the free memory");
    return free;
}

std::string cuda_pci_bus_id(int index) {
    char id[32] = "";
    check(cudaDeviceGetPCIBusId(id, sizeof(id), index), index, "asking for the bus number");
    return id;
}

}  // namespace fovea
