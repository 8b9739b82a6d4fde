#include "lib/train/cascade/boosting.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>
#include <optional>
#include <stdexcept>

#include <tbb/parallel_for.h>

#include "kernels/haar_lbp/window_body.hpp"

namespace fovea {
namespace {

/// Features whose exact thresholds are looked for: bins rank them nearly right.
constexpr std::size_t exact_features = 16;
/// Samples that a node must have more of to be split, as in opencv_traincascade.
constexpr std::size_t min_samples = 10;
/// Odds are kept within these shares, so that their logarithm is finite.
constexpr double least_share = 1e-5;
/// LogitBoost's responses are kept within ± this (Friedman et al., 2000: 2 to 4), so that one sample that
/// is badly wrong does not decide alone.
constexpr double max_logit_response = 4;

SplitCriterion criterion_of(BoostKind kind) {
    switch (kind) {
        case BoostKind::real:
            return SplitCriterion::gini;
        case BoostKind::discrete:
            return SplitCriterion::error;
        case BoostKind::gentle:
        case BoostKind::logit:
            break;
    }
    return SplitCriterion::squares;
}

double log_odds(double share) {
    const double inside = std::clamp(share, least_share, 1 - least_share);
    return std::log(inside / (1 - inside));
}

/// The values or codes of a feature in all samples.
class FeatureColumn {
  public:
    FeatureColumn(const SampleIntegrals& samples, const WindowFeatures& features, const CascadeNode& node)
        : node_(node) {
        const auto feature = static_cast<std::size_t>(node.feature);
        const std::size_t room = samples.count() + SampleIntegrals::padding;
        if (features.kind == Cascade::Feature::haar) {
            values_.resize(room);
            haar_values(samples, features.haar[feature], 0, samples.count(), values_.data());
        } else {
            codes_.resize(room);
            lbp_codes(samples, features.lbp[feature], 0, samples.count(), codes_.data());
        }
    }

    bool goes_left(std::size_t sample) const {
        return codes_.empty() ? values_[sample] < node_.threshold
                              : lbp_goes_left(node_.subset.data(), codes_[sample]);
    }

  private:
    const CascadeNode& node_;
    std::vector<float> values_;
    std::vector<std::uint8_t> codes_;
};

}  // namespace

const std::vector<float>& ScoredSamples::add(const BoostedTree& tree) {
    std::vector<FeatureColumn> columns;
    columns.reserve(tree.nodes.size());
    for (const CascadeNode& node : tree.nodes) columns.emplace_back(samples_, features_, node);
    leaves_.resize(sums_.size());
    for (std::size_t sample = 0; sample < sums_.size(); ++sample) {
        int at = 0;
        do {
            const auto number = static_cast<std::size_t>(at);
            at = columns[number].goes_left(sample) ? tree.nodes[number].left : tree.nodes[number].right;
        } while (at > 0);
        leaves_[sample] = tree.leaves[static_cast<std::size_t>(-at)];
        sums_[sample] += static_cast<double>(leaves_[sample]);
    }
    return leaves_;
}

/// The samples at a node of a tree that grows.
struct Booster::Node {
    std::vector<std::uint32_t> samples;
    std::vector<BoostWeight> weights;  ///< parallel
    int depth = 0;
    int parent = -1;
    bool is_left = false;

    std::int64_t weight() const {
        return std::accumulate(weights.begin(), weights.end(), std::int64_t{0},
                               [](std::int64_t sum, const BoostWeight& w) { return sum + w.weight; });
    }
    std::int64_t response() const {
        return std::accumulate(weights.begin(), weights.end(), std::int64_t{0},
                               [](std::int64_t sum, const BoostWeight& w) { return sum + w.response; });
    }
};

Booster::Booster(const FeatureBins& bins, std::size_t positives, const TreeSettings& settings)
    : bins_(bins),
      positives_(positives),
      settings_(settings),
      scored_(bins.samples(), bins.features()),
      weights_(bins.samples().count()),
      responses_(weights_.size()) {
    const std::size_t count = weights_.size();
    if (positives == 0 || positives >= count)
        throw std::invalid_argument("boosting needs positives and negatives");
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t of_kind = i < positives ? positives : count - positives;
        weights_[i] = settings.balanced ? 0.5 / static_cast<double>(of_kind) : 1 / static_cast<double>(count);
    }
    find_weights();
}

/// Makes the weights' sum 1, and the responses.
void Booster::find_weights() {
    if (settings_.boosting == BoostKind::logit) {
        for (std::size_t i = 0; i < weights_.size(); ++i) {
            // The leaves are whole Newton steps, and the sums twice the paper's F, as opencv_traincascade's.
            const double share = 1 / (1 + std::exp(-scored_.sums()[i]));
            const std::size_t of_kind = i < positives_ ? positives_ : weights_.size() - positives_;
            const double unit = settings_.balanced ? 0.5 / static_cast<double>(of_kind) : 1.0;
            const double variance = std::max(share * (1 - share), least_share);
            const double step = ((i < positives_ ? 1.0 : 0.0) - share) / variance;
            weights_[i] = variance * unit;
            responses_[i] = std::clamp(step, -max_logit_response, max_logit_response) * weights_[i];
        }
    }
    const double sum = std::accumulate(weights_.begin(), weights_.end(), 0.0);
    for (std::size_t i = 0; i < weights_.size(); ++i) {
        weights_[i] /= sum;
        responses_[i] =
            settings_.boosting == BoostKind::logit ? responses_[i] / sum : weights_[i] * response_of(i);
    }
}

/// The samples of the lowest weight sit out: 5 % of the weight are often most of the samples.
std::vector<std::uint32_t> Booster::heavy_samples() const {
    std::vector<std::uint32_t> samples(weights_.size());
    std::iota(samples.begin(), samples.end(), 0U);
    if (settings_.weight_trim_rate >= 1) return samples;
    std::vector<double> sorted(weights_);
    std::sort(sorted.begin(), sorted.end());
    double left_out = 0, least = 0;
    for (const double weight : sorted) {
        left_out += weight;
        least = weight;
        if (left_out > 1 - settings_.weight_trim_rate) break;
    }
    std::erase_if(samples, [&](std::uint32_t sample) { return weights_[sample] < least; });
    return samples;
}

std::vector<BoostWeight> Booster::quantised(const std::vector<std::uint32_t>& samples) const {
    double weight = 0, response = 0;
    for (const std::uint32_t sample : samples) {
        weight += weights_[sample];
        response += std::abs(responses_[sample]);
    }
    // Rounding adds half a unit per sample at most.
    const double room = static_cast<double>(BoostWeight::max_sum) - static_cast<double>(samples.size());
    const double scale = room / std::max(weight, response);
    std::vector<BoostWeight> result;
    result.reserve(samples.size());
    for (const std::uint32_t sample : samples) {
        result.push_back({static_cast<std::int32_t>(std::llround(weights_[sample] * scale)),
                          static_cast<std::int32_t>(std::llround(responses_[sample] * scale))});
    }
    return result;
}

/// False if the node is a leaf.
bool Booster::find_split(const Node& node, CascadeNode& split) const {
    if (node.depth >= settings_.max_depth || node.samples.size() <= min_samples) return false;
    const SplitCriterion criterion = criterion_of(settings_.boosting);
    const double unsplit = split_score(criterion, {node.weight(), node.response()}, {});
    const std::vector<FeatureSplit> best =
        best_splits(bins_, node.samples, node.weights, criterion, exact_features + used_up_.size());
    std::vector<std::optional<CascadeNode>> nodes(best.size());
    std::vector<double> scores(best.size());
    tbb::parallel_for(std::size_t{0}, best.size(), [&](std::size_t i) {
        const FeatureSplit& candidate = best[i];
        if (node.parent < 0 && used_up_.contains(candidate.feature)) return;
        CascadeNode made;
        made.feature = static_cast<int>(candidate.feature);
        scores[i] = candidate.score;
        if (bins_.features().kind == Cascade::Feature::haar) {
            const std::optional<ThresholdSplit> threshold =
                best_threshold(bins_.samples(), bins_.features().haar[candidate.feature], node.samples,
                               node.weights, criterion);
            if (!threshold) return;
            scores[i] = threshold->score;
            made.threshold = threshold->threshold;
        } else {
            made.subset = candidate.subset;
        }
        nodes[i] = made;
    });
    double score = unsplit * (1 + 1e-9);
    bool found = false;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (!nodes[i] || !(scores[i] > score)) continue;
        score = scores[i];
        split = *nodes[i];
        found = true;
    }
    return found;
}

double Booster::leaf_of(const Node& node) const {
    const auto weight = static_cast<double>(node.weight()), response = static_cast<double>(node.response());
    if (weight <= 0) return 0;
    switch (settings_.boosting) {
        case BoostKind::real:
            return 0.5 * log_odds((weight + response) / (2 * weight));
        case BoostKind::discrete:
            return response >= 0 ? 1 : -1;
        case BoostKind::gentle:
        case BoostKind::logit:
            break;
    }
    return response / weight;
}

/// The tree's vote counts by its weighted error.
void Booster::weigh_discrete(BoostedTree& tree) const {
    ScoredSamples tried(bins_.samples(), bins_.features());
    const std::vector<float>& votes = tried.add(tree);
    double error = 0;
    for (std::size_t i = 0; i < votes.size(); ++i) {
        if ((votes[i] > 0) != (i < positives_)) error += weights_[i];
    }
    const auto vote = static_cast<float>(log_odds(1 - error));
    for (float& leaf : tree.leaves) leaf *= vote;
}

/// A tree of these samples; without nodes if none can be split off.
BoostedTree Booster::grow_of(std::vector<std::uint32_t> samples) const {
    BoostedTree tree;
    std::deque<Node> open;
    std::vector<BoostWeight> weights = quantised(samples);
    open.push_back({std::move(samples), std::move(weights)});
    while (!open.empty()) {
        Node node = std::move(open.front());
        open.pop_front();
        CascadeNode split;
        int at;
        if (find_split(node, split)) {
            at = static_cast<int>(tree.nodes.size());
            tree.nodes.push_back(split);
            const FeatureColumn column(bins_.samples(), bins_.features(), split);
            Node sides[2];
            for (std::size_t i = 0; i < node.samples.size(); ++i) {
                Node& side = sides[column.goes_left(node.samples[i]) ? 0 : 1];
                side.samples.push_back(node.samples[i]);
                side.weights.push_back(node.weights[i]);
            }
            for (const int s : {0, 1}) {
                sides[s].depth = node.depth + 1;
                sides[s].parent = at;
                sides[s].is_left = s == 0;
                open.push_back(std::move(sides[s]));
            }
        } else {
            if (node.parent < 0) return {};
            at = -static_cast<int>(tree.leaves.size());
            tree.leaves.push_back(static_cast<float>(leaf_of(node)));
        }
        if (node.parent < 0) continue;
        CascadeNode& parent = tree.nodes[static_cast<std::size_t>(node.parent)];
        (node.is_left ? parent.left : parent.right) = at;
    }
    return tree;
}

bool Booster::tells_all_apart(const std::vector<float>& leaves) const {
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        if (leaves[i] == 0 || (leaves[i] > 0) != (i < positives_)) return false;
    }
    return true;
}

std::vector<BoostedTree> Booster::grow() {
    std::vector<std::uint32_t> heavy = heavy_samples();
    const bool has_all = heavy.size() == weights_.size();
    BoostedTree tree = grow_of(std::move(heavy));
    if (tree.nodes.empty() && !has_all) {
        // A few samples that have nearly all the weight cannot be split; together with the others they can.
        std::vector<std::uint32_t> all(weights_.size());
        std::iota(all.begin(), all.end(), 0U);
        tree = grow_of(std::move(all));
    }
    if (tree.nodes.empty()) return {};
    if (settings_.boosting == BoostKind::discrete) weigh_discrete(tree);
    const std::vector<float>& leaves = scored_.add(tree);
    if (tells_all_apart(leaves)) used_up_.insert(static_cast<std::size_t>(tree.nodes[0].feature));
    // Discrete AdaBoost's leaves are whole logarithms of the odds: half of one reweighs the samples so that
    // the tree is as good as chance on them.
    const double rate = settings_.boosting == BoostKind::discrete ? 0.5 : 1;
    if (settings_.boosting != BoostKind::logit) {
        for (std::size_t i = 0; i < leaves.size(); ++i)
            weights_[i] *= std::exp(-rate * response_of(i) * static_cast<double>(leaves[i]));
    }
    find_weights();
    return {std::move(tree)};
}

}  // namespace fovea
