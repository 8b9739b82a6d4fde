#include "lib/train/landmarks/landmark_tree.hpp"

#include <algorithm>
#include <cmath>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "kernels/landmark/row_sums.hpp"

namespace fovea {
namespace {

// Samples whose residuals are summed in single precision, one after the other.
constexpr std::size_t chunk_samples = 512;
// So many of these stay in the nearest cache while all splits are tried.
constexpr std::size_t samples_at_once = 64;
// Differences of grey values that splits look for, as in dlib 19.24: larger ones are rare.
constexpr int largest_threshold = 64;

/// A node of the level that is being grown: its samples, [begin, end) of the order, and the sum of their
/// residuals.
struct Node {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::vector<double> sum;

    std::size_t count() const { return end - begin; }
};

/// Samples of one node that a task sums.
struct Chunk {
    std::size_t node = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
};

/// The samples that a split sends to the left.
struct LeftSide {
    std::size_t count = 0;
    std::vector<double> sum;
};

class Grower {
  public:
    Grower(const TreeGrowing& growing, const PixelPairs& pairs, const TreeSamples& samples)
        : growing_(growing),
          pairs_(pairs),
          samples_(samples),
          tests_(static_cast<std::size_t>(growing.tests)) {}

    // \param seed of this tree.
    GrownTree grow(std::uint64_t seed) {
        draw_samples(seed);
        GrownTree tree;
        std::vector<Node> nodes{{0, order_.size(), total()}};
        for (int depth = 0; depth < growing_.depth; ++depth) {
            draw_tests(nodes, tree.splits.size(), seed);
            try_tests(nodes);
            std::vector<Node> children(2 * nodes.size());
            std::vector<LandmarkSplit> chosen(nodes.size());
            tbb::parallel_for(std::size_t{0}, nodes.size(), [&](std::size_t n) {
                chosen[n] = split(n, nodes[n], children[2 * n], children[2 * n + 1]);
            });
            order_.swap(reordered_);
            tree.splits.insert(tree.splits.end(), chosen.begin(), chosen.end());
            nodes = std::move(children);
        }
        tree.leaves.resize(nodes.size() * samples_.stride);
        tbb::parallel_for(std::size_t{0}, nodes.size(), [&](std::size_t n) {
            fill_leaf(nodes[n], tree.leaves.data() + n * samples_.stride);
        });
        subtract(tree);
        return tree;
    }

  private:
    // The part of the samples that the tree is fitted to, each with the same probability.
    void draw_samples(std::uint64_t seed) {
        CounterRandom random(seed, 's', 0);
        for (std::size_t i = 0; i < samples_.count; ++i) {
            if (growing_.sample_share >= 1 || random.unit() < growing_.sample_share) {
                order_.push_back(static_cast<std::uint32_t>(i));
            }
        }
        reordered_.resize(order_.size());
    }

    static std::vector<Chunk> chunks_of(const std::vector<Node>& nodes) {
        std::vector<Chunk> chunks;
        for (std::size_t n = 0; n < nodes.size(); ++n) {
            for (std::size_t at = nodes[n].begin; at < nodes[n].end; at += chunk_samples) {
                chunks.push_back({n, at, std::min(at + chunk_samples, nodes[n].end)});
            }
        }
        return chunks;
    }

    std::vector<double> total() const {
        const std::vector<Chunk> chunks = chunks_of({{0, order_.size(), {}}});
        std::vector<float> sums(chunks.size() * samples_.stride, 0);
        tbb::parallel_for(std::size_t{0}, chunks.size(), [&](std::size_t c) {
            const std::span<const std::uint32_t> all(order_);
            add_rows(samples_.residuals.data(), samples_.stride,
                     all.subspan(chunks[c].begin, chunks[c].end - chunks[c].begin),
                     sums.data() + c * samples_.stride);
        });
        std::vector<double> sum(samples_.stride, 0);
        for (std::size_t i = 0; i < sums.size(); ++i) sum[i % samples_.stride] += sums[i];
        return sum;
    }

    const std::uint8_t* values(std::uint16_t pixel) const {
        return samples_.pixels.data() + pixel * samples_.count;
    }

    static int difference(const std::uint8_t* first, const std::uint8_t* second, std::uint32_t sample) {
        return int{first[sample]} - int{second[sample]};
    }

    void draw_tests(const std::vector<Node>& nodes, std::size_t first_split, std::uint64_t seed) {
        splits_.resize(nodes.size() * tests_);
        tbb::parallel_for(std::size_t{0}, nodes.size(), [&](std::size_t n) {
            CounterRandom random(seed, first_split + n);
            for (std::size_t t = 0; t < tests_; ++t) {
                LandmarkSplit& split = splits_[n * tests_ + t];
                split = pairs_.draw(random);
                split.threshold = static_cast<std::int16_t>(
                    static_cast<int>(random.below(2 * largest_threshold)) - largest_threshold);
            }
        });
    }

    // The left sides of all tests of all nodes.
    void try_tests(const std::vector<Node>& nodes) {
        const std::vector<Chunk> chunks = chunks_of(nodes);
        const std::size_t stride = samples_.stride;
        sums_.assign(chunks.size() * tests_ * stride, 0);
        counts_.assign(chunks.size() * tests_, 0);
        tbb::parallel_for(std::size_t{0}, chunks.size(), [&](std::size_t c) { sum_chunk(chunks[c], c); });
        left_.assign(nodes.size() * tests_, {0, std::vector<double>(stride, 0)});
        tbb::parallel_for(std::size_t{0}, left_.size(), [&](std::size_t i) {
            for (std::size_t c = 0; c < chunks.size(); ++c) {
                if (chunks[c].node != i / tests_) continue;
                const std::size_t at = c * tests_ + i % tests_;
                left_[i].count += counts_[at];
                for (std::size_t k = 0; k < stride; ++k) left_[i].sum[k] += sums_[at * stride + k];
            }
        });
    }

    void sum_chunk(const Chunk& chunk, std::size_t index) {
        std::uint32_t left[samples_at_once];
        for (std::size_t begin = chunk.begin; begin < chunk.end; begin += samples_at_once) {
            const std::size_t end = std::min(begin + samples_at_once, chunk.end);
            for (std::size_t t = 0; t < tests_; ++t) {
                const LandmarkSplit& split = splits_[chunk.node * tests_ + t];
                const std::uint8_t* const first = values(split.first);
                const std::uint8_t* const second = values(split.second);
                std::size_t count = 0;
                for (std::size_t i = begin; i < end; ++i) {
                    left[count] = order_[i];
                    count += difference(first, second, order_[i]) > split.threshold ? 1 : 0;
                }
                const std::size_t at = index * tests_ + t;
                counts_[at] += count;
                add_rows(samples_.residuals.data(), samples_.stride, {left, count},
                         sums_.data() + at * samples_.stride);
            }
        }
    }

    // The variance that is left is least where this is largest: the squared lengths of the sides' sums over
    // their counts.
    double gain(const Node& node, const LeftSide& left) const {
        const std::size_t right = node.count() - left.count;
        if (left.count == 0 || right == 0) return -1;
        double of_left = 0, of_right = 0;
        for (std::size_t k = 0; k < samples_.stride; ++k) {
            const double rest = node.sum[k] - left.sum[k];
            of_left += left.sum[k] * left.sum[k];
            of_right += rest * rest;
        }
        return of_left / static_cast<double>(left.count) + of_right / static_cast<double>(right);
    }

    LandmarkSplit split(std::size_t index, const Node& node, Node& left, Node& right) {
        std::size_t best = index * tests_;
        double most = gain(node, left_[best]);
        for (std::size_t i = best + 1; i < (index + 1) * tests_; ++i) {
            const double here = gain(node, left_[i]);
            if (here > most) {
                most = here;
                best = i;
            }
        }
        const LandmarkSplit& chosen = splits_[best];
        left = {node.begin, node.begin + left_[best].count, std::move(left_[best].sum)};
        right = {left.end, node.end, node.sum};
        for (std::size_t k = 0; k < samples_.stride; ++k) right.sum[k] -= left.sum[k];
        std::size_t to_left = left.begin, to_right = right.begin;
        for (std::size_t i = node.begin; i < node.end; ++i) {
            const bool goes_left =
                difference(values(chosen.first), values(chosen.second), order_[i]) > chosen.threshold;
            reordered_[goes_left ? to_left++ : to_right++] = order_[i];
        }
        return chosen;
    }

    void fill_leaf(const Node& node, std::int8_t* leaf) const {
        if (node.count() == 0) return;
        const double scale =
            growing_.shrinkage / static_cast<double>(node.count()) / static_cast<double>(growing_.leaf_unit);
        for (std::size_t k = 0; k < samples_.stride; ++k) {
            leaf[k] = static_cast<std::int8_t>(std::clamp(std::round(node.sum[k] * scale), -127.0, 127.0));
        }
    }

    // From all samples, also from those that the tree was not fitted to.
    void subtract(const GrownTree& tree) const {
        const std::size_t stride = samples_.stride;
        std::vector<float> steps(tree.leaves.size());
        for (std::size_t i = 0; i < steps.size(); ++i) {
            steps[i] = growing_.leaf_unit * static_cast<float>(tree.leaves[i]);
        }
        const tbb::blocked_range<std::size_t> all(0, samples_.count, chunk_samples);
        tbb::parallel_for(all, [&](const auto& range) {
            for (std::size_t i = range.begin(); i != range.end(); ++i) {
                const float* const step =
                    steps.data() + leaf_of(tree, static_cast<std::uint32_t>(i)) * stride;
                float* const residual = samples_.residuals.data() + i * stride;
                for (std::size_t k = 0; k < stride; ++k) residual[k] -= step[k];
            }
        });
    }

    std::size_t leaf_of(const GrownTree& tree, std::uint32_t sample) const {
        std::size_t node = 0;
        while (node < tree.splits.size()) {
            const LandmarkSplit& split = tree.splits[node];
            const bool left = difference(values(split.first), values(split.second), sample) > split.threshold;
            node = 2 * node + (left ? 1 : 2);
        }
        return node - tree.splits.size();
    }

    const TreeGrowing& growing_;
    const PixelPairs& pairs_;
    const TreeSamples& samples_;
    std::size_t tests_;
    std::vector<std::uint32_t> order_;      // samples, those of a node together
    std::vector<std::uint32_t> reordered_;  // the same for its children
    std::vector<LandmarkSplit> splits_;     // [node][test]
    std::vector<LeftSide> left_;            // [node][test]
    std::vector<float> sums_;               // [chunk][test][stride]
    std::vector<std::size_t> counts_;       // [chunk][test]
};

}  // namespace

PixelPairs::PixelPairs(const std::vector<float>& initial_shape, const std::vector<LandmarkPixel>& pixels,
                       double prior)
    : pixels_(pixels.size()) {
    const auto place = [&](const LandmarkPixel& pixel, std::size_t axis) {
        return double{initial_shape[2 * pixel.anchor + axis]} + (axis == 0 ? pixel.dx : pixel.dy);
    };
    cumulative_.reserve(pixels_ * (pixels_ - 1) / 2);
    double sum = 0;
    for (std::size_t i = 0; i + 1 < pixels_; ++i) {
        first_of_row_.push_back(cumulative_.size());
        for (std::size_t j = i + 1; j < pixels_; ++j) {
            const double distance = std::hypot(place(pixels[i], 0) - place(pixels[j], 0),
                                               place(pixels[i], 1) - place(pixels[j], 1));
            sum += std::exp(-distance / prior);
            cumulative_.push_back(sum);
        }
    }
}

LandmarkSplit PixelPairs::draw(CounterRandom& random) const {
    const double wanted = random.unit() * cumulative_.back();
    const auto found = std::upper_bound(cumulative_.begin(), cumulative_.end() - 1, wanted);
    const auto pair = static_cast<std::size_t>(found - cumulative_.begin());
    const auto row = std::upper_bound(first_of_row_.begin(), first_of_row_.end(), pair) - 1;
    LandmarkSplit split;
    split.first = static_cast<std::uint16_t>(row - first_of_row_.begin());
    split.second = static_cast<std::uint16_t>(split.first + 1 + (pair - *row));
    // Both directions are alike.
    if (random.unit() < 0.5) std::swap(split.first, split.second);
    return split;
}

GrownTree grow_tree(const TreeGrowing& growing, const PixelPairs& pairs, const TreeSamples& samples,
                    std::uint64_t seed, std::size_t level, std::size_t tree) {
    return Grower(growing, pairs, samples).grow(CounterRandom(seed, 't', level, tree).next());
}

}  // namespace fovea
