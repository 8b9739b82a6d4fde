#include <algorithm>
#include <cmath>

#include "lib/core/text.hpp"
#include "lib/report/recognition/recognition_content.hpp"

namespace fovea::report {
namespace {

const std::string probe_intervals = " Shaded: 95\u00A0% intervals (bootstrap over probes).";

double share(std::size_t part, std::size_t all) {
    return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

/// A rate in powers of ten, from the least that so many negatives can show; 0 stands at the lower end.
Axis rate_axis(const std::string& label, std::size_t negatives) {
    Axis axis = share_axis(label);
    axis.scale = Scale::log;
    const double decade =
        std::floor(-std::log10(static_cast<double>(std::max<std::size_t>(negatives, 10))) + 1e-9);
    axis.min = std::pow(10.0, std::max(decade, -7.0));
    return axis;
}

/// Curves of good recognisers crowd at the top: the axis begins at the tens below the lowest place that is
/// shown.
Axis top_axis(const std::string& label, const std::vector<Series>& shown) {
    double lowest = 1;
    for (const Series& series : shown) {
        for (const PlotPoint& point : series.points) lowest = std::min(lowest, point.y);
        for (const BandPlace& place : series.band) lowest = std::min(lowest, place.low);
    }
    Axis axis = share_axis(label);
    axis.min = std::clamp(std::floor(lowest * 10) / 10, 0.0, 0.9);
    return axis;
}

/// Ranks are logarithmic beyond a few dozen: what matters is at the small ones.
Axis rank_axis(const std::vector<Series>& shown) {
    double most = 2;
    for (const Series& series : shown) {
        if (!series.points.empty()) most = std::max(most, series.points.back().x);
    }
    Axis axis{.label = "Rank", .min = 1, .max = most};
    if (most > 30) {
        axis.scale = Scale::log;
        return axis;
    }
    for (const int rank : {1, 2, 3, 5, 10, 20}) {
        if (rank <= most) axis.marks.push_back({static_cast<double>(rank), std::to_string(rank)});
    }
    return axis;
}

/// A curve that holds its value up to the next rate, from the lower end of an axis of rates to its upper end.
/// \param points by rising rate. \param first the value where no point has a rate of 0
std::vector<PlotPoint> rate_curve(const Axis& axis, const std::vector<PlotPoint>& points, double first) {
    std::vector<PlotPoint> curve{{axis.min.value(), first}};
    for (const PlotPoint& point : points) {
        if (point.x > 0) {
            curve.push_back(point);
        } else {
            curve[0].y = point.y;
        }
    }
    curve.push_back({1, curve.back().y});
    return thinned(curve, axis, share_axis(""));
}

std::vector<BandPlace> band_of(const std::vector<RateBand>& band) {
    std::vector<BandPlace> places;
    for (const RateBand& place : band) places.push_back({place.at, place.ci95[0], place.ci95[1]});
    return places;
}

// --- verification ----------------------------------------------------------------------------------

bool has_curve(const VerificationEvaluation& evaluation) {
    return evaluation.genuine > 0 && evaluation.impostors > 0;
}

Plot roc_plot(const VerificationEvaluations& evaluations, const std::string& shade) {
    Plot plot{
        "roc", "ROC",
        "Genuine pairs accepted against impostor pairs accepted, as the threshold falls; the left end is the "
        "strictest that the number of impostor pairs can show." +
            shade};
    std::size_t most = 0;
    for (const VerificationEvaluation& e : evaluations) most = std::max(most, e.impostors);
    plot.x = rate_axis("False match rate (FMR)", most);
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        const VerificationEvaluation& e = evaluations[i];
        Series& series =
            plot.series.emplace_back(rival_series(evaluation_names(evaluations), i, Mark::steps));
        if (!has_curve(e)) continue;
        for (const VerificationPoint& point : e.curve)
            series.points.push_back(
                {share(point.impostors_accepted, e.impostors), share(point.genuine_accepted, e.genuine)});
        series.points = rate_curve(plot.x, series.points, 0);
        series.band = band_of(e.band);
    }
    plot.y = top_axis("True accept rate (TAR)", plot.series);
    return plot;
}

Plot det_plot(const VerificationEvaluations& evaluations, const std::string& shade) {
    Plot plot{
        "det", "DET",
        "Both error rates on axes of normal deviates, where scores with normal distributions give straight "
        "lines. The diagonal holds the equal error rates." +
            shade};
    // Whoever has no rates this small ends at the axis.
    static constexpr double floor = 0.00005, ceiling = 0.6;
    plot.x = {.label = "False match rate (FMR)",
              .is_share = true,
              .scale = Scale::probit,
              .min = floor,
              .max = ceiling};
    plot.y = plot.x;
    plot.y.label = "False non-match rate (FNMR)";
    const auto place = [](double rate) { return std::clamp(rate, floor, ceiling); };
    plot.lines = {{.from = {{floor, floor}}, .to = {{ceiling, ceiling}}}};
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        const VerificationEvaluation& e = evaluations[i];
        Series& series =
            plot.series.emplace_back(rival_series(evaluation_names(evaluations), i, Mark::steps));
        if (!has_curve(e)) continue;
        for (const VerificationPoint& point : e.curve)
            series.points.push_back({place(share(point.impostors_accepted, e.impostors)),
                                     place(1 - share(point.genuine_accepted, e.genuine))});
        series.points = thinned(series.points, plot.x, plot.y);
        for (const RateBand& at : e.band) {
            if (at.at == place(at.at))
                series.band.push_back({at.at, place(1 - at.ci95[1]), place(1 - at.ci95[0])});
        }
    }
    return plot;
}

Plot histogram_plot(const VerificationEvaluation& e, const std::string& stem, const std::string& title) {
    Plot plot{
        stem, title,
        std::string("Blue, solid: genuine pairs; orange, dashed: impostor pairs. Each as shares of all pairs "
                    "of its kind.") +
            (e.options.threshold ? " Dashed upright: the given threshold." : "")};
    plot.x.label = e.options.distance ? "Distance" : "Score";
    plot.y = {.label = "Share of its pairs", .is_share = true, .min = 0};
    if (e.histogram.genuine.empty()) plot.empty_note = "no scores";
    if (e.options.threshold) plot.lines = {{.x = e.options.threshold}};
    const ScoreHistogram& histogram = e.histogram;
    const auto add = [&](std::size_t i, const std::vector<std::size_t>& bins, std::size_t all) {
        if (bins.empty()) return;
        Series series = rival_series({"genuine pairs", "impostor pairs"}, i, Mark::area);
        const double width = (histogram.to - histogram.from) / static_cast<double>(bins.size());
        for (std::size_t b = 0; b < bins.size(); ++b) {
            const double left = histogram.from + width * static_cast<double>(b);
            series.points.push_back({left, share(bins[b], all)});
            series.points.push_back({left + width, share(bins[b], all)});
        }
        plot.series.push_back(std::move(series));
    };
    add(1, histogram.impostors, e.impostors);
    add(0, histogram.genuine, e.genuine);
    return plot;
}

// --- identification --------------------------------------------------------------------------------

/// A plot of rates by rank.
Plot rank_plot(Plot plot) {
    plot.x = rank_axis(plot.series);
    plot.y = top_axis("Probes identified", plot.series);
    return plot;
}

Plot cmc_plot(const IdentificationEvaluations& evaluations) {
    Plot plot{"cmc", "Cumulative match characteristic",
              "Probes whose mate is among the k most alike gallery subjects, ties broken at random." +
                  probe_intervals};
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        const std::vector<CmcPoint>& cmc = evaluations[i].cmc;
        Series series =
            rival_series(evaluation_names(evaluations), i, cmc.size() <= 30 ? Mark::line_dots : Mark::line);
        for (const CmcPoint& point : cmc) {
            const auto rank = static_cast<double>(point.rank);
            series.points.push_back({rank, point.rate});
            if (point.ci95) series.band.push_back({rank, (*point.ci95)[0], (*point.ci95)[1]});
        }
        plot.series.push_back(std::move(series));
    }
    return rank_plot(std::move(plot));
}

Plot permutation_plot(const PermutationEvaluation& evaluation, const std::vector<std::string>& names) {
    Plot plot{
        "permutations", "Permuted galleries and probes",
        "Mean over " + grouped(evaluation.options.permutations) +
            " random choices of gallery and probes among every subject's images. Shaded: 95\u00A0% of these "
            "choices."};
    for (std::size_t i = 0; i < evaluation.curves.size(); ++i) {
        Series series = rival_series(names, i, Mark::line);
        for (const PermutationPoint& point : evaluation.curves[i]) {
            const auto rank = static_cast<double>(point.rank);
            series.points.push_back({rank, point.mean});
            series.band.push_back({rank, point.central95[0], point.central95[1]});
        }
        plot.series.push_back(std::move(series));
    }
    return rank_plot(std::move(plot));
}

Plot open_set_plot(const IdentificationEvaluations& evaluations) {
    // A second curve for each of several recognisers would be confusing.
    const bool is_single = evaluations.size() == 1;
    Plot plot{
        "open_set", "Open-set identification",
        "Mated probes that are not identified against unmated probes that find someone, as the threshold "
        "falls; the mate must be the most alike subject" +
            std::string(is_single ? " (first curve) or only reach the threshold (second curve)." : ".") +
            probe_intervals};
    std::size_t most = 0;
    for (const IdentificationEvaluation& e : evaluations) most = std::max(most, e.probes - e.mated);
    plot.x = rate_axis("False positive identification rate (FPIR)", most);
    plot.y = share_axis("False negative identification rate (FNIR)");
    std::vector<std::string> names = evaluation_names(evaluations);
    if (is_single) names.emplace_back("any rank");
    for (std::size_t i = 0; i < names.size(); ++i) {
        const bool is_any_rank = i == evaluations.size();
        const std::optional<OpenSetEvaluation>& open_set = evaluations[is_any_rank ? 0 : i].open_set;
        Series& series = plot.series.emplace_back(rival_series(names, i, Mark::steps));
        if (!open_set) continue;
        for (const OpenSetPoint& point : open_set->curve)
            series.points.push_back({point.fpir, is_any_rank ? point.fnir_any_rank : point.fnir});
        series.points = rate_curve(plot.x, series.points, 1);
        if (!is_any_rank) series.band = band_of(open_set->band);
    }
    return plot;
}

}  // namespace

std::vector<Plot> verification_plots(const VerificationEvaluations& evaluations) {
    const bool has_bands = std::any_of(evaluations.begin(), evaluations.end(),
                                       [](const VerificationEvaluation& e) { return !e.band.empty(); });
    const std::string shade = has_bands ? " Shaded: 95\u00A0% intervals (bootstrap over pairs)." : "";
    std::vector<Plot> plots{roc_plot(evaluations, shade), det_plot(evaluations, shade)};
    for (std::size_t i = 0; i < std::min(evaluations.size(), max_histograms); ++i) {
        const bool is_single = evaluations.size() == 1;
        plots.push_back(histogram_plot(evaluations[i],
                                       is_single ? "scores" : "scores_" + std::to_string(i + 1),
                                       is_single ? "Scores" : "Scores of " + evaluations[i].name));
    }
    return plots;
}

std::vector<Plot> identification_plots(const IdentificationEvaluations& evaluations,
                                       const std::optional<PermutationEvaluation>& permutations) {
    std::vector<Plot> plots{cmc_plot(evaluations)};
    if (std::any_of(evaluations.begin(), evaluations.end(),
                    [](const IdentificationEvaluation& e) { return e.open_set.has_value(); }))
        plots.push_back(open_set_plot(evaluations));
    if (permutations) plots.push_back(permutation_plot(*permutations, evaluation_names(evaluations)));
    return plots;
}

}  // namespace fovea::report
