#pragma once

#include <cstddef>
#include <vector>

namespace fovea {

/// The sum of n doubles, each of which can be changed in O(log n). Equal terms give an equal sum, whatever
/// was set before; a running total would keep the rounding errors of its past.
class PairwiseSum {
  public:
    explicit PairwiseSum(std::size_t count) {
        while (leaves_ < count) leaves_ *= 2;
        nodes_.assign(2 * leaves_, 0.0);
    }

    void set(std::size_t index, double value) {
        std::size_t node = leaves_ + index;
        nodes_[node] = value;
        while (node > 1) {
            node /= 2;
            nodes_[node] = nodes_[2 * node] + nodes_[2 * node + 1];
        }
    }

    double total() const { return nodes_[1]; }

  private:
    std::size_t leaves_ = 1;
    std::vector<double> nodes_;  // a binary tree: node i has the children 2i and 2i + 1, the root is 1
};

}  // namespace fovea
