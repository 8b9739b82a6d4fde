#include "lib/evaluate/recognition/open_set.hpp"

#include <algorithm>
#include <limits>

#include "lib/evaluate/recognition/score_curve.hpp"
#include "lib/evaluate/statistics/rates.hpp"

namespace fovea {
namespace {}  // namespace

const std::vector<double> reported_fpir{0.001, 0.01, 0.1};

OpenSetCurve::OpenSetCurve(const std::vector<ProbeSearch>& searches) : units_(searches.size()) {
    for (std::size_t i = 0; i < searches.size(); ++i) {
        const ProbeSearch& search = searches[i];
        probe_mated_.push_back(search.mated);
        unmated_ += search.mated ? 0 : 1;
        const double score = search.mated ? search.mate_score : search.best_score;
        if (score != not_enrolled) events_.push_back({score, i, search.mated, search.within(1)});
    }
    std::sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) {
        return a.score != b.score ? a.score > b.score : a.probe < b.probe;
    });
    band_fpir_ = false_rate_grid(unmated_);
    const auto add = [&](const std::string& prefix, const std::string& how, double fpir) {
        const std::string rate = rate_text(fpir);
        quantities_.push_back(
            {prefix + "at_fpir_" + rate, "FNIR at FPIR " + rate + how,
             "share of mated probes not identified at the loosest threshold at which at most " + rate +
                 " of the unmated probes find anyone" +
                 (how.empty() ? "; the mate must be the most alike subject" : how) +
                 "; undefined with fewer than 1 / FPIR unmated probes",
             Better::lower, Unit::share});
    };
    for (const double fpir : reported_fpir) add("fnir_", "", fpir);
    for (const double fpir : reported_fpir) add("fnir_any_rank_", ", any rank", fpir);
    for (const double fpir : band_fpir_) add("band_fnir_", "", fpir);
    for (Quantity& statistic : quantities_) statistic.trials = static_cast<double>(units_ - unmated_);
}

void OpenSetCurve::evaluate(Weights weights, std::span<double> values) const {
    std::fill(values.begin(), values.end(), undefined);
    double mated = 0;
    double unmated = 0;
    for (std::size_t i = 0; i < units_; ++i) (probe_mated_[i] ? mated : unmated) += weights[i];
    if (mated == 0 || unmated == 0) return;
    AcceptedAtFalseRates first_place(reported_fpir, unmated);
    AcceptedAtFalseRates any_rank(reported_fpir, unmated);
    AcceptedAtFalseRates band(band_fpir_, unmated);
    double identified = 0;
    double above = 0;
    double false_positives = 0;
    for (std::size_t i = 0; i < events_.size(); ++i) {
        const Event& event = events_[i];
        const double weight = weights[event.probe];
        if (event.mated) {
            identified += weight * event.first_place;
            above += weight;
        } else {
            false_positives += weight;
        }
        if (!ends_score(i)) continue;
        first_place.point(identified, false_positives, i);
        any_rank.point(above, false_positives, i);
        band.point(identified, false_positives, i);
    }
    first_place.finish();
    any_rank.finish();
    band.finish();
    const std::size_t reported = reported_fpir.size();
    for (std::size_t i = 0; i < reported; ++i) {
        if (!within_rate(1, static_cast<double>(unmated_), reported_fpir[i])) continue;
        values[i] = 1 - first_place.accepted()[i] / mated;
        values[reported + i] = 1 - any_rank.accepted()[i] / mated;
    }
    for (std::size_t i = 0; i < band_fpir_.size(); ++i) {
        values[2 * reported + i] = 1 - band.accepted()[i] / mated;
    }
}

std::vector<OpenSetPoint> OpenSetCurve::points() const {
    const auto unmated = static_cast<double>(unmated_);
    const auto mated = static_cast<double>(units_ - unmated_);
    std::vector<OpenSetPoint> points;
    if (mated == 0 || unmated == 0) return points;
    double identified = 0;
    double above = 0;
    double false_positives = 0;
    for (std::size_t i = 0; i < events_.size(); ++i) {
        (events_[i].mated ? above : false_positives) += 1;
        if (events_[i].mated) identified += events_[i].first_place;
        if (!ends_score(i)) continue;
        points.push_back(
            {events_[i].score, false_positives / unmated, 1 - identified / mated, 1 - above / mated});
    }
    return points;
}

}  // namespace fovea
