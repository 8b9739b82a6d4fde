#include "lib/evaluate/recognition/identification.hpp"

#include <algorithm>
#include <cmath>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "lib/evaluate/statistics/rates.hpp"

namespace fovea {
namespace {

std::vector<int> ranks_with_band(int most) {
    constexpr std::size_t wanted = 60;
    std::vector<int> ranks;
    double next = 1;
    while (static_cast<int>(next) <= most && ranks.size() + 1 < wanted) {
        ranks.push_back(static_cast<int>(next));
        next = std::max(next + 1, next * std::pow(std::max(1.0, most / 20.0), 1.0 / 35));
    }
    if (most > 0 && ranks.back() != most) ranks.push_back(most);
    return ranks;
}

// Scores of subjects, best image each; reused from probe to probe.
struct SubjectScores {
    explicit SubjectScores(int subjects) : best(static_cast<std::size_t>(subjects)) {}
    std::vector<double> best;
};

ProbeSearch search(const IdentificationSet& set, const SimilarityMatrix& scores, std::size_t probe,
                   const std::vector<bool>& in_gallery, SubjectScores& buffer) {
    std::vector<double>& best = buffer.best;
    std::fill(best.begin(), best.end(), not_enrolled);
    const auto subject = static_cast<std::size_t>(set.probe_subjects[probe]);
    bool compared_with_mate = false;
    for (std::size_t column = 0; column < scores.columns; ++column) {
        const double score = scores.at(probe, column);
        if (std::isnan(score)) continue;
        const auto other = static_cast<std::size_t>(set.gallery_subjects[column]);
        best[other] = std::max(best[other], score);
        compared_with_mate = compared_with_mate || other == subject;
    }
    ProbeSearch result;
    // A probe whose only gallery image is itself has no mate.
    result.mated = in_gallery[subject] && compared_with_mate;
    result.best_score = *std::max_element(best.begin(), best.end());
    if (!result.mated) return result;
    result.mate_score = best[subject];
    if (!result.ranked()) return result;
    for (std::size_t other = 0; other < best.size(); ++other) {
        if (other == subject) continue;
        result.greater += best[other] > result.mate_score ? 1 : 0;
        result.ties += best[other] == result.mate_score ? 1 : 0;
    }
    return result;
}

}  // namespace

double ProbeSearch::within(std::uint32_t rank) const {
    if (!mated || !ranked() || rank <= greater) return 0;
    if (rank > greater + ties) return 1;
    return static_cast<double>(rank - greater) / (ties + 1.0);
}

std::vector<ProbeSearch> search_gallery(const IdentificationSet& set, const SimilarityMatrix& scores) {
    std::vector<bool> in_gallery(static_cast<std::size_t>(set.subjects), false);
    for (const int subject : set.gallery_subjects) in_gallery[static_cast<std::size_t>(subject)] = true;
    std::vector<ProbeSearch> searches(set.probes.size());
    if (set.subjects == 0) return searches;
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, searches.size()), [&](const auto& range) {
        SubjectScores buffer(set.subjects);
        for (std::size_t probe = range.begin(); probe < range.end(); ++probe) {
            searches[probe] = search(set, scores, probe, in_gallery, buffer);
        }
    });
    return searches;
}

IdentificationCurve::IdentificationCurve(const std::vector<ProbeSearch>& searches, int gallery_subjects)
    : searches_(searches),
      ranks_(static_cast<std::size_t>(std::max(gallery_subjects, 0))),
      band_ranks_(ranks_with_band(gallery_subjects)) {
    for (std::size_t i = 0; i < searches.size(); ++i) {
        if (searches[i].mated && searches[i].ranked() && searches[i].ties > 0) tied_.push_back(i);
    }
    const auto add = [&](const std::string& key, int rank, Ties ties, const std::string& how) {
        requests_.push_back({rank, ties});
        quantities_.push_back({key, "Rank-" + std::to_string(rank) + how,
                               "share of probes with a mate in the gallery whose mate is among the " +
                                   std::to_string(rank) +
                                   " most alike subjects; failures to enrol count as not identified; " +
                                   (ties == Ties::mid          ? "ties broken at random (expected rate)"
                                    : ties == Ties::optimistic ? "the mate first of equals"
                                                               : "the mate last of equals"),
                               Better::higher, Unit::share, 0, key.starts_with("rank")});
    };
    add("rank1", 1, Ties::mid, "");
    add("rank1_optimistic", 1, Ties::optimistic, ", ties optimistic");
    add("rank1_pessimistic", 1, Ties::pessimistic, ", ties pessimistic");
    for (const int rank : {5, 10, 20}) {
        if (rank <= gallery_subjects) add("rank" + std::to_string(rank), rank, Ties::mid, "");
    }
    for (const int rank : band_ranks_) add("band_rank" + std::to_string(rank), rank, Ties::mid, "");
    const double all = mated(std::vector<std::uint16_t>(searches.size(), 1));
    for (Quantity& statistic : quantities_) statistic.trials = all;
}

double IdentificationCurve::mated(Weights weights) const {
    double count = 0;
    for (std::size_t i = 0; i < searches_.size(); ++i) count += searches_[i].mated ? weights[i] : 0;
    return count;
}

// [k]: probes without ties whose mate is within rank k. Whole numbers, so the sums are exact.
std::vector<double> IdentificationCurve::untied_within(Weights weights) const {
    std::vector<double> within(ranks_ + 1, 0.0);
    for (std::size_t i = 0; i < searches_.size(); ++i) {
        const ProbeSearch& search = searches_[i];
        if (search.mated && search.ranked() && search.ties == 0) within[search.greater + 1] += weights[i];
    }
    for (std::size_t rank = 1; rank < within.size(); ++rank) within[rank] += within[rank - 1];
    return within;
}

double IdentificationCurve::rate(Weights weights, const std::vector<double>& untied, double mated,
                                 const Request& request) const {
    const auto rank = static_cast<std::uint32_t>(request.rank);
    double found = request.rank < static_cast<int>(untied.size()) ? untied[rank] : 0;
    for (const std::size_t i : tied_) {
        const double share = searches_[i].within(rank);
        const double counted = request.ties == Ties::mid          ? share
                               : request.ties == Ties::optimistic ? (share > 0 ? 1 : 0)
                                                                  : (share == 1 ? 1 : 0);
        found += weights[i] * counted;
    }
    return mated > 0 ? std::min(1.0, found / mated) : undefined;
}

void IdentificationCurve::evaluate(Weights weights, std::span<double> values) const {
    const double all = mated(weights);
    const std::vector<double> untied = untied_within(weights);
    for (std::size_t i = 0; i < requests_.size(); ++i) values[i] = rate(weights, untied, all, requests_[i]);
}

std::vector<CmcPoint> IdentificationCurve::curve() const {
    const std::vector<std::uint16_t> ones(units(), 1);
    const double all = mated(ones);
    const std::vector<double> untied = untied_within(ones);
    std::vector<CmcPoint> points;
    if (all == 0) return points;
    for (int rank = 1; rank <= static_cast<int>(ranks_); ++rank) {
        points.push_back({rank, rate(ones, untied, all, {rank, Ties::mid}),
                          rate(ones, untied, all, {rank, Ties::optimistic}),
                          rate(ones, untied, all, {rank, Ties::pessimistic})});
    }
    return points;
}

}  // namespace fovea
