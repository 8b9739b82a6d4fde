#include <algorithm>
#include <new>

#include "kernels/engine/gpu_graph_cache.cuh"

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

bool GraphCache::run(const GraphKey& key, const std::function<void()>& enqueue) {
    const auto known =
        std::find_if(graphs_.begin(), graphs_.end(), [&](const Entry& entry) { return entry.key == key; });
    if (known == graphs_.end()) {
        constexpr std::size_t max_graphs = 8;
        if (graphs_.size() == max_graphs) graphs_.pop_front();
        graphs_.push_back({key, nullptr});
        enqueue();
        return false;
    }
    if (known->graph == nullptr) known->graph = capture_graph(device_, enqueue);
    launch_graph(device_, *known->graph);
    return true;
}

}  // namespace fovea::cuda_backend
