#pragma once

#include <stdexcept>

#include "kernels/haar_lbp/gpu_scan_kernels.hpp"
#include "kernels/haar_lbp/gpu_tile_scan_later_stages.cuh"

namespace fovea::cuda_backend {

template <class Evaluator, bool Slab, NodePlace Place, bool Trace>
__global__ void __launch_bounds__(scan_threads, scan_blocks)
    scan_kernel(const __grid_constant__ ScanArgumentsFor<Place> arguments) {
    extern __shared__ __align__(16) char shared[];
    __shared__ ScanBlock block;
    char* const slab = Slab ? reinterpret_cast<char*>(arguments.slabs) +
                                  static_cast<std::size_t>(blockIdx.x) * arguments.memory.slab_bytes
                            : nullptr;
    TileScan<Evaluator, Slab, Place, Trace>(arguments, shared, slab, block).run();
}

template <class Evaluator, bool Slab, NodePlace Place>
ScanKernel kernel_with(bool trace) {
    const auto kernel =
        trace ? scan_kernel<Evaluator, Slab, Place, true> : scan_kernel<Evaluator, Slab, Place, false>;
    if constexpr (Place == NodePlace::bank) {
        return {nullptr, kernel};
    } else {
        return {kernel, nullptr};
    }
}

/// The kernel for tables whose tiles lie in shared memory. \throws std::logic_error if tiles lie in slabs:
/// configure_scan uses slabs with the general tables alone, so no other kernel with slabs is compiled.
template <class Evaluator>
ScanKernel shared_memory_kernel(const ScanMemory& memory, bool trace) {
    if (memory.slab_bytes > 0) {
        throw std::logic_error(
            "slabs of global memory are configured for a table that has no kernel for them");
    }
    if (memory.staged_nodes_bytes > 0 || memory.banked_stages > 0)
        return kernel_with<Evaluator, false, Evaluator::fast_nodes>(trace);
    return kernel_with<Evaluator, false, NodePlace::global>(trace);
}

/// The kernel for the general tables. Their tiles may lie in slabs, and then nodes are not staged.
template <class Evaluator>
ScanKernel general_kernel(const ScanMemory& memory, bool trace) {
    if (memory.slab_bytes == 0) return shared_memory_kernel<Evaluator>(memory, trace);
    return kernel_with<Evaluator, true, NodePlace::global>(trace);
}

}  // namespace fovea::cuda_backend
