#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kernels/core/device.hpp"

// Limits that a machine sets the program: how fast its memories, its links and its integer units are,
// measured by programs that do nothing else. After chapter 3 of Andargie, "Acceleration and Energy Reduction
// of Object Detection on Mobile Graphics Processing Unit" (Addis Ababa University, 2019): transfers (3.2),
// copies (3.3.1: bytes read plus bytes written), local memory by pointer chasing (3.3.3), arithmetic by
// dependent operations in registers (3.4), by as many threads as fill the device (3.5).
//
// All functions run once without a clock first, and then `repeat` (at least 1) times with it; they wait for
// the device. They throw DeviceError, naming the device, if a call to it fails.
namespace fovea {

/// Repeated measurements of the same work.
struct Timing {
    double work = 0;              ///< of one repetition: bytes, operations, launches, images
    std::vector<double> seconds;  ///< of each repetition
};

enum class IntegerOperation { add, multiply_add };
enum class CopyDirection { upload, download };
enum class HostMemory { pinned, pageable };

/// Name of the SIMD instructions that measure_host_integer() runs with, e.g. "AVX2": as the cascade scan's,
/// chosen for this processor.
std::string measure_simd_target();

/// Copy in host memory, `threads` threads at once, each a part of its own of two buffers of `bytes` bytes.
/// Work: bytes read plus bytes written. \throws std::bad_alloc
Timing measure_host_copy(std::size_t bytes, int threads, int repeat);

/// 32-bit integer operations in vector registers on one core, for about `seconds` in each repetition.
/// Work: operations of single lanes.
Timing measure_host_integer(IntegerOperation operation, double seconds, int repeat);

/// Copy of `bytes` bytes between the host and a GPU, alone on its link. Timed by events on the stream.
/// Work: bytes.
Timing measure_transfer(const Device& device, CopyDirection direction, HostMemory memory, std::size_t bytes,
                        int repeat);

/// The same from the host's point of view: from the call until the host knows that the copy is done, with
/// pinned memory. Work: copies (1).
Timing measure_transfer_latency(const Device& device, CopyDirection direction, std::size_t bytes, int repeat);

/// Copy from one place in a GPU's memory to another. Timed by events. Work: bytes read plus bytes written.
Timing measure_device_copy(const Device& device, std::size_t bytes, int repeat);

/// `kernels` empty kernels one behind the other, launched one by one or as one CUDA graph, until the host
/// knows that they are done. Timed on the host. Work: launches (1, however many kernels).
Timing measure_launches(const Device& device, int kernels, bool as_graph, int repeat);

/// 32-bit integer operations in the registers of as many threads as the GPU holds, for about `seconds` in
/// each repetition. Timed by events. Work: operations of single threads.
Timing measure_device_integer(const Device& device, IntegerOperation operation, double seconds, int repeat);

/// Loads of 32-bit words from shared memory without bank conflicts, in as many threads as the GPU holds, each
/// load's address the outcome of the one before. Timed by events. Work: words of single threads.
Timing measure_shared_loads(const Device& device, double seconds, int repeat);

/// Free memory of a GPU in bytes.
std::size_t free_device_memory(const Device& device);

/// The PCI address of the GPU with CUDA's number `index`, e.g. "0000:1b:00.0": the name by which NVML knows
/// it. Does not start anything on the GPU.
std::string cuda_pci_bus_id(int index);

}  // namespace fovea
