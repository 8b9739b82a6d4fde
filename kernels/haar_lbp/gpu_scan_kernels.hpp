#pragma once

#include "kernels/haar_lbp/gpu_scan.hpp"

namespace fovea::cuda_backend {

/// A kernel of the scan, for one launch of blocks that take tiles in turn: one of the two is null.
struct ScanKernel {
    void (*plain)(ScanArguments) = nullptr;
    void (*banked)(BankedScanArguments) = nullptr;
};

// The kernels of each table, one source file each. \param trace gives a kernel that keeps the fate of every
// window (WindowTrace).
ScanKernel merged_stumps_kernel(const ScanMemory& memory, bool trace);
ScanKernel merged_trees_kernel(const ScanMemory& memory, bool trace);
ScanKernel haar_kernel(const ScanMemory& memory, bool trace);
ScanKernel lbp_stumps_kernel(const ScanMemory& memory, bool trace);
ScanKernel lbp_kernel(const ScanMemory& memory, bool trace);

}  // namespace fovea::cuda_backend
