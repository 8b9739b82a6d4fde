#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "kernels/nearest/neighbour.hpp"

namespace fovea {

/// The order of results: by distance, then by index.
inline bool is_nearer(const Neighbour& a, const Neighbour& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.index < b.index;
}

/// Keeps only the `k` nearest, or all if there are fewer, and sorts them, nearest first.
inline void keep_nearest(std::vector<Neighbour>& neighbours, std::size_t k) {
    const auto end = neighbours.begin() + static_cast<std::ptrdiff_t>(std::min(k, neighbours.size()));
    std::partial_sort(neighbours.begin(), end, neighbours.end(), is_nearer);
    neighbours.erase(end, neighbours.end());
}

/// The `k` nearest of the neighbours offered.
class NearestList {
  public:
    explicit NearestList(std::size_t k) : k_(k) {}

    /// \return true if the neighbour is among the nearest so far.
    bool offer(const Neighbour& neighbour) {
        if (heap_.size() < k_) {
            heap_.push_back(neighbour);
        } else if (is_nearer(neighbour, heap_.front())) {
            std::pop_heap(heap_.begin(), heap_.end(), is_nearer);
            heap_.back() = neighbour;
        } else {
            return false;
        }
        std::push_heap(heap_.begin(), heap_.end(), is_nearer);
        return true;
    }
    /// True if there are k neighbours: a further one must be nearer than farthest().
    bool is_full() const { return heap_.size() == k_; }
    const Neighbour& farthest() const { return heap_.front(); }
    /// The nearest, in no particular order.
    const std::vector<Neighbour>& list() const { return heap_; }

  private:
    std::size_t k_;
    std::vector<Neighbour> heap_;  // the farthest first
};

}  // namespace fovea
