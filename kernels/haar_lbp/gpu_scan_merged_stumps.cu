#include "kernels/haar_lbp/gpu_scan_kernels.cuh"

namespace fovea::cuda_backend {

ScanKernel merged_stumps_kernel(const ScanMemory& memory, bool trace) {
    return shared_memory_kernel<MergedStumpEvaluator>(memory, trace);
}

}  // namespace fovea::cuda_backend
