#include "kernels/haar_lbp/gpu_scan_kernels.cuh"

namespace fovea::cuda_backend {

ScanKernel lbp_stumps_kernel(const ScanMemory& memory, bool trace) {
    return shared_memory_kernel<LbpStumpEvaluator>(memory, trace);
}

}  // namespace fovea::cuda_backend
