#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "kernels/core/gpu_graph.cuh"
#include "kernels/core/gpu_memory.cuh"
#include "kernels/core/image_memory.hpp"
#include "kernels/landmark/face_box.hpp"

namespace fovea::cuda_backend {

/// All values on which a captured graph depends. Tables, images and the addresses of images on the device are
/// no part of it, since each replay copies them anew.
struct GraphKey {
    std::size_t images = 0;
    ImageMemory memory = ImageMemory::host;
    std::size_t table_bytes = 0;
    std::size_t image_bytes = 0;
    std::size_t counter_words = 0;
    std::vector<std::size_t> shape;
    int min_neighbors = 0;
    std::size_t capacity = 0;
    std::uint64_t landmarks = 0;  ///< the model's identity; 0 = none
    std::array<double, 5> face{};
    BoxTransform edges;

    friend bool operator==(const GraphKey&, const GraphKey&) = default;
};

/// The graphs of the last batches. They hold addresses, so the cache must be cleared before memory moves.
class GraphCache {
  public:
    /// \param device must outlive it.
    explicit GraphCache(const Device& device) : device_(device) {}

    /// Queues a batch's work. The first batch of a key runs as it is, the second is captured, and from then
    /// on the graph is replayed. \return true if a graph was launched.
    /// \throws as capture_graph and launch_graph.
    bool run(const GraphKey& key, const std::function<void()>& enqueue);
    void clear() noexcept { graphs_.clear(); }

  private:
    struct Entry {
        GraphKey key;
        std::unique_ptr<GraphExecutable> graph;  // null: the key was seen once
    };

    const Device& device_;
    std::deque<Entry> graphs_;
};

}  // namespace fovea::cuda_backend
