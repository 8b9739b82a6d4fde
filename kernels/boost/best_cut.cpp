// Scores of many cuts in vectors, compiled once for every instruction set and chosen at run time (Highway).
// Each lane does the same operations in the same order as split_score().

#include "kernels/boost/best_cut.hpp"

#include <stdexcept>

#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/boost/best_cut.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Code that all instruction sets share is compiled once.
#if !defined(FOVEA_BEST_CUT_SHARED)
#define FOVEA_BEST_CUT_SHARED
namespace fovea {
namespace {

constexpr std::size_t max_bins = 256;
constexpr std::size_t max_lanes = 8;

/// The left sides of cuts that are possible; numbers that nobody reads fill the last vector.
struct Cuts {
    alignas(64) double weights[max_bins + max_lanes];
    alignas(64) double responses[max_bins + max_lanes];
    alignas(64) double scores[max_bins + max_lanes];
    std::size_t ends[max_bins];
    std::size_t count = 0;
    double weight = 0, response = 0;  ///< of all samples
};

}  // namespace
}  // namespace fovea
#endif

HWY_BEFORE_NAMESPACE();
namespace fovea {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::CappedTag<double, max_lanes>;
using Vector = hn::Vec<Doubles>;

// The same as side_score(), for sides with weight.
struct Squares {
    HWY_INLINE Vector operator()(Vector weight, Vector response) const {
        return hn::Div(hn::Mul(response, response), weight);
    }
};
struct Purity {
    HWY_INLINE Vector operator()(Vector weight, Vector response) const {
        return hn::Div(hn::Add(hn::Mul(weight, weight), hn::Mul(response, response)),
                       hn::Mul(hn::Set(Doubles(), 2.0), weight));
    }
};
struct Majority {
    HWY_INLINE Vector operator()(Vector weight, Vector response) const {
        return hn::Div(hn::Add(weight, hn::Abs(response)), hn::Set(Doubles(), 2.0));
    }
};

template <class SideScore>
void find_scores(Cuts& cuts) {
    const Doubles d;
    const SideScore score;
    const auto weight = hn::Set(d, cuts.weight), response = hn::Set(d, cuts.response);
    for (std::size_t i = 0; i < cuts.count; i += hn::Lanes(d)) {
        const auto left = hn::Load(d, cuts.weights + i), left_response = hn::Load(d, cuts.responses + i);
        const auto both = hn::Add(score(left, left_response),
                                  score(hn::Sub(weight, left), hn::Sub(response, left_response)));
        hn::Store(both, d, cuts.scores + i);
    }
}

void squares_of(Cuts& cuts) {
    find_scores<Squares>(cuts);
}
void purities_of(Cuts& cuts) {
    find_scores<Purity>(cuts);
}
void majorities_of(Cuts& cuts) {
    find_scores<Majority>(cuts);
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea {

HWY_EXPORT(squares_of);
HWY_EXPORT(purities_of);
HWY_EXPORT(majorities_of);

BestCut best_cut(SplitCriterion criterion, std::span<const SplitSums> bins, const SplitSums& total) {
    if (bins.size() > max_bins) throw std::invalid_argument("there are at most 256 bins");
    Cuts cuts;
    cuts.weight = static_cast<double>(total.weight);
    cuts.response = static_cast<double>(total.response);
    SplitSums left;
    for (std::size_t i = 0; i < bins.size(); ++i) {
        if (bins[i].weight == 0) continue;
        left += bins[i];
        if (left.weight >= total.weight) break;
        cuts.weights[cuts.count] = static_cast<double>(left.weight);
        cuts.responses[cuts.count] = static_cast<double>(left.response);
        cuts.ends[cuts.count++] = i + 1;
    }
    for (std::size_t i = cuts.count; i < cuts.count + max_lanes; ++i) cuts.weights[i] = cuts.responses[i] = 1;
    switch (criterion) {
        case SplitCriterion::squares:
            HWY_DYNAMIC_DISPATCH(squares_of)(cuts);
            break;
        case SplitCriterion::gini:
            HWY_DYNAMIC_DISPATCH(purities_of)(cuts);
            break;
        case SplitCriterion::error:
            HWY_DYNAMIC_DISPATCH(majorities_of)(cuts);
            break;
    }
    BestCut best;
    for (std::size_t i = 0; i < cuts.count; ++i) {
        if (cuts.scores[i] > best.score) best = {cuts.scores[i], cuts.ends[i]};
    }
    return best;
}

}  // namespace fovea
#endif
