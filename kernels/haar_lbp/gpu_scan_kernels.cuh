#pragma once

#include <stdexcept>

#include "kernels/haar_lbp/gpu_scan_kernels.hpp"
#include "kernels/haar_lbp/gpu_tile_scan_later_stages.cuh"

namespace fovea::cuda_backend {

template <class Evaluator, bool Slab, bool Staged, bool Trace>
__global__ void __launch_bounds__(scan_threads, scan_blocks)
    scan_kernel(const __grid_constant__ ScanArguments arguments) {
    extern __shared__ __align__(16) char shared[];
    __shared__ ScanBlock block;
    char* const slab = Slab ? reinterpret_cast<char*>(arguments.slabs) +
                                  static_cast<std::size_t>(blockIdx.x) * arguments.memory.slab_bytes
                            : nullptr;
    TileScan<Evaluator, Slab, Staged, Trace>(arguments, shared, slab, block).run();
}

/// The kernel for tables whose tiles lie in shared memory. \throws std::logic_error if tiles lie in slabs:
/// configure_scan uses slabs with the general tables alone, so no other kernel with slabs is compiled.
template <class Evaluator>
ScanKernel shared_memory_kernel(const ScanMemory& memory, bool trace) {
    if (memory.slab_bytes > 0) {
        throw std::logic_error(
            "slabs of global memory are configured for a table that has no kernel for them");
    }
    if (memory.staged_nodes_bytes > 0) {
        return trace ? scan_kernel<Evaluator, false, true, true> : scan_kernel<Evaluator, false, true, false>;
    }
    return trace ? scan_kernel<Evaluator, false, false, true> : scan_kernel<Evaluator, false, false, false>;
}

/// The kernel for the general tables. Their tiles may lie in slabs, and then nodes are not staged.
template <class Evaluator>
ScanKernel general_kernel(const ScanMemory& memory, bool trace) {
    if (memory.slab_bytes == 0) return shared_memory_kernel<Evaluator>(memory, trace);
    return trace ? scan_kernel<Evaluator, true, false, true> : scan_kernel<Evaluator, true, false, false>;
}

}  // namespace fovea::cuda_backend
