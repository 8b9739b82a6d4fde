#include <new>

#include "kernels/core/gpu_graph.cuh"

namespace fovea::cuda_backend {
namespace {

void check_memory(cudaError_t status, int gpu, const char* doing) {
    if (status == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        throw std::bad_alloc();
    }
    check(status, gpu, doing);
}

}  // namespace

std::unique_ptr<GraphExecutable> capture_graph(const Device& device, const std::function<void()>& enqueue) {
    const auto stream = static_cast<cudaStream_t>(device.stream());
    const int gpu = device.index();
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), gpu, "capturing a graph");
    cudaGraph_t graph = nullptr;
    try {
        enqueue();
    } catch (...) {
        cudaStreamEndCapture(stream, &graph);
        if (graph != nullptr) cudaGraphDestroy(graph);
        throw;
    }
    check(cudaStreamEndCapture(stream, &graph), gpu, "capturing a graph");
    cudaGraphExec_t executable = nullptr;
    const cudaError_t status = cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphDestroy(graph);
    check_memory(status, gpu, "making a graph");
    return std::make_unique<GraphExecutable>(executable);
}

void launch_graph(const Device& device, const GraphExecutable& graph) {
    check_memory(cudaGraphLaunch(graph.get(), static_cast<cudaStream_t>(device.stream())), device.index(),
                 "launching a graph");
}

}  // namespace fovea::cuda_backend
