#include "kernels/haar_lbp/gpu_scan_kernels.cuh"

namespace fovea::cuda_backend {

ScanKernel lbp_kernel(const ScanMemory& memory, bool trace) {
    return general_kernel<LbpEvaluator>(memory, trace);
}

}  // namespace fovea::cuda_backend
