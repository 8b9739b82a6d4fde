#include <algorithm>

#include "kernels/engine/gpu_graph_cache.cuh"

namespace fovea::cuda_backend {

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
