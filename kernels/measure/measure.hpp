#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kernels/core/device.hpp"

// Limits that a machine sets the program: the speed of its memories, its links and its integer units,
// measured by programs that do nothing else. After chapter 3 of Andargie, "Acceleration and Energy Reduction
// of Object Detection on Mobile Graphics Processing Unit" (Addis Ababa University, 2019): transfers (3.2),
// copies (3.3.1: bytes read plus bytes written), local memory by pointer chasing (3.3.3), arithmetic by
// dependent operations in registers (3.4), by as many threads as fill the device (3.5).
//
// Every measurement runs once unmeasured and then `repeat` times (at least once) measured, and waits for the
// device. Functions throw DeviceError, which names the device, if a call to it fails.
namespace fovea {

/// Repeated measurements of the same work.
struct Timing {
    double work = 0;              ///< in one repetition: bytes, operations, launches, images
    std::vector<double> seconds;  ///< for each repetition
};

enum class IntegerOperation { add, multiply_add };
enum class CopyDirection { upload, download };
enum class HostMemory { pinned, pageable };

/// The name of the SIMD instructions chosen for this processor, e.g. "AVX2": measure_host_integer() and the
/// cascades' scans run with them.
std::string measure_simd_target();

/// Copies `bytes` bytes in host memory; each of `threads` threads copies a part. Work: bytes read plus bytes
/// written. \throws std::bad_alloc
Timing measure_host_copy(std::size_t bytes, int threads, int repeat);

/// 32-bit integer operations in vector registers on one core, for about `seconds` in each repetition.
/// Work: operations of single lanes.
Timing measure_host_integer(IntegerOperation operation, double seconds, int repeat);

/// Copies `bytes` bytes between the host and a GPU. Timed by events on the stream. Work: bytes.
Timing measure_transfer(const Device& device, CopyDirection direction, HostMemory memory, std::size_t bytes,
                        int repeat);

/// Measures a copy of pinned memory on the host: from the call until the host knows that the copy is done.
/// Work: copies (1).
Timing measure_transfer_latency(const Device& device, CopyDirection direction, std::size_t bytes, int repeat);

/// Copies within a GPU's memory. Timed by events. Work: bytes read plus bytes written.
Timing measure_device_copy(const Device& device, std::size_t bytes, int repeat);

/// Launches `kernels` empty kernels in sequence, one by one or as one CUDA graph. Timed on the host, until it
/// knows that they are done. Work: 1, whatever the number of kernels.
Timing measure_launches(const Device& device, int kernels, bool as_graph, int repeat);

/// 32-bit integer operations in the registers of as many threads as the GPU holds, for about `seconds` in
/// each repetition. Timed by events. Work: operations of single threads.
Timing measure_device_integer(const Device& device, IntegerOperation operation, double seconds, int repeat);

/// Loads of 32-bit words from shared memory without bank conflicts, in as many threads as the GPU holds; each
/// load gives the address of the next. Timed by events. Work: words of single threads.
Timing measure_shared_loads(const Device& device, double seconds, int repeat);

/// The free memory of a GPU in bytes.
std::size_t free_device_memory(const Device& device);

/// The PCI address of the GPU with CUDA's number `index`, e.g. "0000:1b:00.0", by which NVML knows the GPU.
/// It starts nothing on the GPU.
std::string cuda_pci_bus_id(int index);

}  // namespace fovea
