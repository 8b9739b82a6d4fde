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
    const void* const function = kernel.banked != nullptr ? reinterpret_cast<const void*>(kernel.banked)
                                                          : reinterpret_cast<const void*>(kernel.plain);
    return blocks_per_multiprocessor(device, function, scan_threads, memory.shared_bytes);
}

void launch_scan(const Device& device, TileTable table, int blocks, const BankedScanArguments& arguments) {
    const ScanKernel kernel = kernel_of(table, arguments.memory, arguments.trace_stages != nullptr);
    const auto launch = [&](auto function, const auto& given) {
        launch_kernel(device, "scan", blocks, scan_threads, arguments.memory.shared_bytes, function, given);
    };
    if (kernel.banked != nullptr) {
        launch(kernel.banked, arguments);
    } else {
        launch(kernel.plain, static_cast<const ScanArguments&>(arguments));
    }
}

}  // namespace fovea::cuda_backend
