#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "kernels/boost/feature_bins.hpp"
#include "kernels/boost/split_search.hpp"

namespace fovea {

/// How the trees of a stage are weighed and grown.
enum class BoostKind {
    gentle,    ///< gentle AdaBoost (J. Friedman, T. Hastie, R. Tibshirani, 2000): leaves are mean responses
    real,      ///< real AdaBoost: leaves are half the logarithm of the odds
    discrete,  ///< discrete AdaBoost: leaves are ± the logarithm of the odds that the tree is right
    logit,     ///< LogitBoost: leaves are mean Newton steps of the logarithm of the odds
};

struct TreeSettings {
    BoostKind boosting = BoostKind::gentle;
    int max_depth = 1;  ///< nodes from the root to a leaf: 1 = stumps
    /// Share of the weight that a tree learns from; 1 = all samples.
    double weight_trim_rate = 0.95;
    /// All positives together weigh as much as all negatives; else all samples weigh the same, as
    /// in opencv_traincascade.
    bool balanced = true;
};

/// A weak classifier as a Cascade has it; `feature` numbers the pool.
struct BoostedTree {
    std::vector<CascadeNode> nodes;  ///< breadth first
    std::vector<float> leaves;       ///< one more than nodes
};

/// Samples that trees are applied to, and the sums of the trees' leaves.
class ScoredSamples {
  public:
    /// All references must outlive this.
    ScoredSamples(const SampleIntegrals& samples, const WindowFeatures& features)
        : samples_(samples), features_(features), sums_(samples.count(), 0.0) {}

    const std::vector<double>& sums() const { return sums_; }
    /// Adds the leaf that each sample reaches, as a scan does. \return the leaves, [sample].
    const std::vector<float>& add(const BoostedTree& tree);

  private:
    const SampleIntegrals& samples_;
    const WindowFeatures& features_;
    std::vector<double> sums_;
    std::vector<float> leaves_;
};

/// Grows the trees of one stage.
class Booster {
  public:
    /// \param bins of positives first, then negatives; must outlive this.
    /// \throws std::invalid_argument if there is none of one kind.
    Booster(const FeatureBins& bins, std::size_t positives, const TreeSettings& settings);

    /// Grows the next tree; none if no feature separates the samples. Equal for every number of threads.
    std::vector<BoostedTree> grow();
    /// [sample] sums of the leaves of all trees.
    const std::vector<double>& sums() const { return scored_.sums(); }

  private:
    struct Node;

    void find_weights();
    std::vector<std::uint32_t> heavy_samples() const;
    std::vector<BoostWeight> quantised(const std::vector<std::uint32_t>& samples) const;
    bool find_split(const Node& node, CascadeNode& split) const;
    double leaf_of(const Node& node) const;
    BoostedTree grow_of(std::vector<std::uint32_t> samples) const;
    bool tells_all_apart(const std::vector<float>& leaves) const;
    void weigh_discrete(BoostedTree& tree) const;
    double response_of(std::size_t sample) const { return sample < positives_ ? 1 : -1; }

    const FeatureBins& bins_;
    const std::size_t positives_;
    const TreeSettings settings_;
    ScoredSamples scored_;
    std::vector<double> weights_;    // sum to 1
    std::vector<double> responses_;  // weight times response; LogitBoost's differ from ±weight
    // Roots of trees that told all samples apart. No weight changes after such a tree, and the next one would
    // be the same, which helps no other sample.
    std::set<std::size_t> used_up_;
};

}  // namespace fovea
