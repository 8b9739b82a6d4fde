#include "kernels/core/gpu_launch.cuh"
#include "kernels/core/gpu_occupancy.cuh"
#include "kernels/mct/gpu_mct_tile_scan.cuh"

namespace fovea::cuda_backend {
namespace {

template <bool Trace>
__global__ void __launch_bounds__(mct_scan_threads, mct_scan_blocks)
    mct_scan_kernel(const __grid_constant__ MctScanArguments arguments) {
    extern __shared__ __align__(16) char shared[];
    __shared__ MctScanBlock block;
    MctTileScan<Trace>(arguments, shared, block).run();
}

using Kernel = void (*)(MctScanArguments);

Kernel kernel_of(bool trace) {
    return trace ? mct_scan_kernel<true> : mct_scan_kernel<false>;
}

int attribute_of(int device, cudaDeviceAttr attribute) {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, attribute, device), device, "reading the device's limits");
    return value;
}

}  // namespace

int mct_scan_shared_bytes(int device) {
    const int share = attribute_of(device, cudaDevAttrMaxSharedMemoryPerMultiprocessor) / mct_scan_blocks -
                      attribute_of(device, cudaDevAttrReservedSharedMemoryPerBlock);
    const int most = attribute_of(device, cudaDevAttrMaxSharedMemoryPerBlockOptin);
    // The shared memory that the kernel itself declares comes off.
    return (share < most ? share : most) - 256;
}

int mct_blocks_per_multiprocessor(int device, int shared_bytes, bool trace) {
    return blocks_per_multiprocessor(device, reinterpret_cast<const void*>(kernel_of(trace)),
                                     mct_scan_threads, shared_bytes);
}

void launch_mct_scan(const Device& device, int blocks, const MctScanArguments& arguments) {
    const Kernel kernel = kernel_of(arguments.trace_stages != nullptr);
    launch_kernel(device, "scan", blocks, mct_scan_threads, arguments.memory.bytes, kernel, arguments);
}

}  // namespace fovea::cuda_backend
