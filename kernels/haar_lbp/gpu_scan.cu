#include "kernels/core/gpu_launch.cuh"
#include "kernels/core/gpu_occupancy.cuh"
#include "kernels/haar_lbp/gpu_scan.hpp"
#include "kernels/haar_lbp/gpu_scan_kernels.hpp"

namespace fovea::cuda_backend {
namespace {

ScanKernel kernel_of(TileTable table, const ScanMemory& memory, bool trace) {
    switch (table) {
        case TileTable::merged_stumps:
            return merged_stumps_kernel(memory, trace);
        case TileTable::merged_trees:
            return merged_trees_kernel(memory, trace);
        case TileTable::haar:
            return haar_kernel(memory, trace);
        case TileTable::lbp_stumps:
            return lbp_stumps_kernel(memory, trace);
        case TileTable::lbp:
            break;
    }
    return lbp_kernel(memory, trace);
}

}  // namespace

int scan_blocks_per_multiprocessor(int device, TileTable table, const ScanMemory& memory, bool trace) {
    const ScanKernel kernel = kernel_of(table, memory, trace);
    return blocks_per_multiprocessor(device, reinterpret_cast<const void*>(kernel), scan_threads,
                                     memory.shared_bytes);
}

void launch_scan(const Device& device, TileTable table, int blocks, const ScanArguments& arguments) {
    const ScanKernel kernel = kernel_of(table, arguments.memory, arguments.trace_stages != nullptr);
    launch_kernel(device, "scan", blocks, scan_threads, arguments.memory.shared_bytes, kernel, arguments);
}

}  // namespace fovea::cuda_backend
