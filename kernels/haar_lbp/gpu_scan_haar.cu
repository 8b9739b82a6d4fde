#include "kernels/haar_lbp/gpu_scan_kernels.cuh"

namespace fovea::cuda_backend {

ScanKernel haar_kernel(const ScanMemory& memory, bool trace) {
    return general_kernel<HaarEvaluator>(memory, trace);
}

}  // namespace fovea::cuda_backend
