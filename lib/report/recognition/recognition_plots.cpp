#include "lib/report/recognition/recognition_plots.hpp"

#include <algorithm>
#include <cmath>

#include <spdlog/fmt/fmt.h>

#include "lib/core/text.hpp"
#include "lib/evaluate/statistics/normal_deviate.hpp"
#include "lib/report/html/format.hpp"
#include "lib/report/html/palette.hpp"
#include "lib/report/plots/plot_script.hpp"

namespace fovea::report {
namespace {

using VerificationList = std::vector<VerificationEvaluation>;
using IdentificationList = std::vector<IdentificationEvaluation>;

constexpr double percents = 100;

// A curve with its band: the pieces of a plot command and the data.
class Curves {
  public:
    void add(const std::vector<CurvePoint>& points, const std::vector<BandEdge>& band,
             const std::string& name, const PlotScript& style = plot_script("lines")) {
        const std::size_t i = count_++;
        if (!band.empty()) {
            data_ += band_block(plot_script("band{}", i), band);
            bands_.push_back(band_command(plot_script("band{}", i), i));
        }
        if (points.empty()) {
            lines_.push_back(
                plot_script("NaN with lines lw 2 {} {} title {}", dash(i), line_colour(i), key_name(name)));
            return;
        }
        data_ += curve_block(plot_script("curve{}", i), points);
        lines_.push_back(plot_script("$curve{} using 1:2 with {} lw 2 {} {} title {}", i, style, dash(i),
                                     line_colour(i), key_name(name)));
    }

    PlotScript script() const {
        // Bands first, as what comes later lies on top.
        std::vector<PlotScript> parts = bands_;
        parts.insert(parts.end(), lines_.begin(), lines_.end());
        return data_ + plot_command(parts);
    }

  private:
    std::size_t count_ = 0;
    PlotScript data_;
    std::vector<PlotScript> bands_;
    std::vector<PlotScript> lines_;
};

// With a key in the file of its own, without in the page, which has one legend for all.
DrawnPlot drawn(const std::string& stem, const std::string& title, const std::string& caption,
                std::size_t key_rows, const PlotScript& script) {
    return draw_plot(stem, title, caption, script, key_rows > 1 ? key_rows : 0);
}

/// An axis of powers of ten from `least` to 1, on which the data are logarithms: a rate of 0 stands at its
/// lower end.
struct RateAxis {
    double floor = -1;

    explicit RateAxis(double least) : floor(std::clamp(std::floor(std::log10(least) + 1e-9), -7.0, -1.0)) {}

    double place(double rate) const { return rate > 0 ? std::max(floor, std::log10(rate)) : floor; }
    PlotScript script() const {
        Tics tics;
        for (int decade = static_cast<int>(floor); decade <= 0; ++decade) {
            for (int digit = 1; digit <= (decade == 0 ? 1 : 9); ++digit) {
                const double at = decade + std::log10(static_cast<double>(digit));
                tics.add(digit == 1 ? fmt::format("{:g} %", percents * std::pow(10.0, decade)) : "",
                         plot_script("{:.6f} {}", at, digit == 1 ? 0 : 1));
            }
        }
        return plot_script("set xrange [{:.6g}:0]\nset xtics {}\n", floor, tics.script());
    }
};

/// Curves of good recognisers crowd at the top: the axis begins at the tens below the lowest place that is
/// shown.
PlotScript top_axis(double lowest) {
    const int floor = std::clamp(static_cast<int>(std::floor(lowest * 10)) * 10, 0, 90);
    if (floor == 0) return percent_axis(plot_script("y"));
    return plot_script("set yrange [{0}:100]\nset ytics {0},{1}\nset format y '%g %%'\n", floor,
                       floor >= 80 ? 5 : 10);
}

double share(std::size_t part, std::size_t all) {
    return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

// --- verification ----------------------------------------------------------------------------------

PlotScript roc_script(const VerificationList& evaluations, const std::vector<std::string>& names) {
    std::size_t most = 10;
    double lowest = 1;
    for (const VerificationEvaluation& e : evaluations) most = std::max(most, e.impostors);
    const RateAxis axis(1.0 / static_cast<double>(most));
    Curves curves;
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        const VerificationEvaluation& e = evaluations[i];
        std::vector<CurvePoint> points;
        std::vector<BandEdge> band;
        if (e.genuine > 0 && e.impostors > 0) {
            double at_floor = 0;
            for (const VerificationPoint& point : e.curve) {
                if (point.impostors_accepted == 0)
                    at_floor = percents * share(point.genuine_accepted, e.genuine);
            }
            points.push_back({axis.floor, at_floor});
            for (const VerificationPoint& point : e.curve) {
                if (point.impostors_accepted == 0) continue;
                points.push_back({axis.place(share(point.impostors_accepted, e.impostors)),
                                  percents * share(point.genuine_accepted, e.genuine)});
            }
            points.push_back({0, points.back().y});
            lowest = std::min(lowest, at_floor / percents);
            for (const RateBand& place : e.band) {
                band.push_back({axis.place(place.at), percents * place.ci95[0], percents * place.ci95[1]});
                lowest = std::min(lowest, place.ci95[0]);
            }
        }
        curves.add(thinned(points, 0.005, 0.05), band, names[i], plot_script("steps"));
    }
    return axis_labels("False match rate (FMR)", "True accept rate (TAR)") + axis.script() +
           top_axis(lowest) + curves.script();
}

// Rates on the axes of a DET plot; whoever has none this small ends at the axis.
constexpr double det_floor = 0.00005;
constexpr double det_ceiling = 0.6;

double det_place(double rate) {
    return normal_deviate(std::clamp(rate, det_floor, det_ceiling));
}

PlotScript det_axis(const PlotScript& axis) {
    Tics tics;
    for (const double percent : {0.01, 0.1, 1.0, 5.0, 10.0, 20.0, 40.0}) {
        tics.add(fmt::format("{:g} %", percent), plot_script("{:.6f}", det_place(percent / percents)));
    }
    return plot_script("set {0}range [{1:.6f}:{2:.6f}]\nset {0}tics {3}\n", axis, det_place(0), det_place(1),
                       tics.script());
}

PlotScript det_script(const VerificationList& evaluations, const std::vector<std::string>& names) {
    Curves curves;
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        const VerificationEvaluation& e = evaluations[i];
        std::vector<CurvePoint> points;
        std::vector<BandEdge> band;
        if (e.genuine > 0 && e.impostors > 0) {
            for (const VerificationPoint& point : e.curve) {
                const double fnmr = 1 - share(point.genuine_accepted, e.genuine);
                points.push_back({det_place(share(point.impostors_accepted, e.impostors)), det_place(fnmr)});
            }
            for (const RateBand& place : e.band) {
                if (place.at < det_floor || place.at > det_ceiling) continue;
                band.push_back(
                    {det_place(place.at), det_place(1 - place.ci95[1]), det_place(1 - place.ci95[0])});
            }
        }
        curves.add(thinned(points, 0.005, 0.005), band, names[i], plot_script("steps"));
    }
    return axis_labels("False match rate (FMR)", "False non-match rate (FNMR)") + det_axis(plot_script("x")) +
           det_axis(plot_script("y")) +
           plot_script(
               "set arrow from {0:.6f},{0:.6f} to {1:.6f},{1:.6f} nohead back lw 1 dt (4,3) lc rgb {2}\n",
               det_place(0), det_place(1), palette::axis) +
           curves.script();
}

PlotScript histogram_script(const VerificationEvaluation& e) {
    const ScoreHistogram& histogram = e.histogram;
    const double width = histogram.genuine.empty() ? 1
                                                   : (histogram.to - histogram.from) /
                                                         static_cast<double>(histogram.genuine.size());
    PlotScript script = axis_labels(e.options.distance ? "Distance" : "Score", "Share of its pairs") +
                        plot_script("set format y '%g %%'\nset yrange [0:*]\n");
    std::vector<PlotScript> parts;
    const auto add = [&](const PlotScript& name, const char* title, const std::vector<std::size_t>& bins,
                         std::size_t all, std::size_t series) {
        std::vector<CurvePoint> points;
        for (std::size_t b = 0; b < bins.size(); ++b) {
            const double left = histogram.from + width * static_cast<double>(b);
            const double height = percents * share(bins[b], all);
            points.push_back({left, height});
            points.push_back({left + width, height});
        }
        if (points.empty()) return;
        script += curve_block(name, points);
        parts.push_back(
            plot_script("${} using 1:2 with filledcurves y1=0 fs transparent solid 0.25 noborder {} notitle",
                        name, line_colour(series)));
        parts.push_back(plot_script("${} using 1:2 with lines lw 2 {} {} title {}", name, dash(series),
                                    line_colour(series), title));
    };
    add(plot_script("impostors"), "impostor pairs", histogram.impostors, e.impostors, 1);
    add(plot_script("genuine"), "genuine pairs", histogram.genuine, e.genuine, 0);
    if (parts.empty()) script += note("no scores");
    if (e.options.threshold) {
        script += plot_script(
            "set arrow from first {0:.6g}, graph 0 to first {0:.6g}, graph 1 nohead back lw 1.2 dt (4,3) lc "
            "rgb {1}\n",
            *e.options.threshold, palette::axis);
    }
    return script + plot_command(parts);
}

// --- identification --------------------------------------------------------------------------------

/// Ranks are logarithmic beyond a few dozen: what matters is at the small ones.
PlotScript rank_axis(int most) {
    PlotScript tics;
    for (const int rank : {1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 100000}) {
        if (rank > most) break;
        tics += tics.empty() ? plot_script("{}", rank) : plot_script(", {}", rank);
    }
    return (most > 30 ? plot_script("set logscale x\n") : PlotScript()) +
           plot_script("set xrange [1:{}]\nset xtics ({})\n", std::max(most, 2), tics);
}

PlotScript cmc_script(const IdentificationList& evaluations, const std::vector<std::string>& names) {
    int most = 1;
    double lowest = 1;
    Curves curves;
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        std::vector<CurvePoint> points;
        std::vector<BandEdge> band;
        for (const CmcPoint& point : evaluations[i].cmc) {
            points.push_back({static_cast<double>(point.rank), percents * point.rate});
            most = std::max(most, point.rank);
            lowest = std::min(lowest, point.rate);
            if (!point.ci95) continue;
            band.push_back(
                {static_cast<double>(point.rank), percents * (*point.ci95)[0], percents * (*point.ci95)[1]});
            lowest = std::min(lowest, (*point.ci95)[0]);
        }
        curves.add(points, band, names[i],
                   points.size() <= 30 ? plot_script("linespoints pt 7 ps 0.4") : plot_script("lines"));
    }
    return axis_labels("Rank", "Probes identified") + rank_axis(most) + top_axis(lowest) + curves.script();
}

PlotScript open_set_script(const IdentificationList& evaluations, const std::vector<std::string>& names) {
    std::size_t most = 10;
    for (const IdentificationEvaluation& e : evaluations) most = std::max(most, e.probes - e.mated);
    const RateAxis axis(1.0 / static_cast<double>(most));
    Curves curves;
    const auto points_of = [&](const OpenSetEvaluation& open_set, double OpenSetPoint::*rate) {
        double at_floor = percents;
        for (const OpenSetPoint& point : open_set.curve) {
            if (point.fpir == 0) at_floor = percents * (point.*rate);
        }
        std::vector<CurvePoint> points{{axis.floor, at_floor}};
        for (const OpenSetPoint& point : open_set.curve) {
            if (point.fpir > 0) points.push_back({axis.place(point.fpir), percents * (point.*rate)});
        }
        points.push_back({0, points.back().y});
        return thinned(points, 0.005, 0.05);
    };
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        if (!evaluations[i].open_set) {
            curves.add({}, {}, names[i]);
            continue;
        }
        std::vector<BandEdge> band;
        for (const RateBand& place : evaluations[i].open_set->band) {
            band.push_back({axis.place(place.at), percents * place.ci95[0], percents * place.ci95[1]});
        }
        curves.add(points_of(*evaluations[i].open_set, &OpenSetPoint::fnir), band, names[i],
                   plot_script("steps"));
    }
    // A second curve for each of several recognisers would be confusing.
    if (evaluations.size() == 1 && evaluations[0].open_set) {
        curves.add(points_of(*evaluations[0].open_set, &OpenSetPoint::fnir_any_rank), {}, "any rank",
                   plot_script("steps"));
    }
    return axis_labels("False positive identification rate (FPIR)",
                       "False negative identification rate (FNIR)") +
           axis.script() + percent_axis(plot_script("y")) + curves.script();
}

PlotScript permutation_script(const PermutationEvaluation& evaluation,
                              const std::vector<std::string>& names) {
    Curves curves;
    double lowest = 1;
    int most = 1;
    for (std::size_t i = 0; i < evaluation.curves.size(); ++i) {
        std::vector<CurvePoint> points;
        std::vector<BandEdge> band;
        for (const PermutationPoint& point : evaluation.curves[i]) {
            points.push_back({static_cast<double>(point.rank), percents * point.mean});
            band.push_back({static_cast<double>(point.rank), percents * point.central95[0],
                            percents * point.central95[1]});
            lowest = std::min(lowest, point.central95[0]);
            most = std::max(most, point.rank);
        }
        curves.add(points, band, names[i]);
    }
    return axis_labels("Rank", "Probes identified") + rank_axis(most) + top_axis(lowest) + curves.script();
}

}  // namespace

std::vector<DrawnPlot> verification_plots(const VerificationList& evaluations,
                                          const std::vector<std::string>& names) {
    const bool bands = std::any_of(evaluations.begin(), evaluations.end(),
                                   [](const VerificationEvaluation& e) { return !e.band.empty(); });
    const std::string shade = bands ? " Shaded: 95\u00A0% intervals (bootstrap over pairs)." : "";
    std::vector<DrawnPlot> plots;
    plots.push_back(
        drawn("roc", "ROC",
              "Genuine pairs accepted against impostor pairs accepted, as the threshold falls; the left "
              "end is the strictest that the number of impostor pairs can show." +
                  shade,
              evaluations.size(), roc_script(evaluations, names)));
    plots.push_back(
        drawn("det", "DET",
              "Both error rates on axes of normal deviates, where scores with normal distributions give "
              "straight lines. The diagonal holds the equal error rates." +
                  shade,
              evaluations.size(), det_script(evaluations, names)));
    for (std::size_t i = 0; i < std::min(evaluations.size(), max_histograms); ++i) {
        const bool several = evaluations.size() > 1;
        plots.push_back(
            drawn(several ? fmt::format("scores_{}", i + 1) : "scores",
                  several ? "Scores of " + names[i] : "Scores",
                  std::string("Blue, solid: genuine pairs; orange, dashed: impostor pairs. Each as "
                              "shares of all pairs of its kind.") +
                      (evaluations[i].options.threshold ? " Dashed upright: the given threshold." : ""),
                  2, histogram_script(evaluations[i])));
    }
    return plots;
}

std::vector<DrawnPlot> identification_plots(const IdentificationList& evaluations,
                                            const std::optional<PermutationEvaluation>& permutations,
                                            const std::vector<std::string>& names) {
    std::vector<DrawnPlot> plots;
    plots.push_back(
        drawn("cmc", "Cumulative match characteristic",
              "Probes whose mate is among the k most alike gallery subjects, ties broken at random. "
              "Shaded: 95\u00A0% intervals (bootstrap over probes).",
              evaluations.size(), cmc_script(evaluations, names)));
    const bool any_open_set =
        std::any_of(evaluations.begin(), evaluations.end(),
                    [](const IdentificationEvaluation& e) { return e.open_set.has_value(); });
    if (any_open_set) {
        const bool one = evaluations.size() == 1;
        plots.push_back(
            drawn("open_set", "Open-set identification",
                  "Mated probes that are not identified against unmated probes that find someone, as the "
                  "threshold falls; "
                  "the mate must be the most alike subject" +
                      std::string(one ? " (first curve) or only reach the threshold (second curve)." : ".") +
                      " Shaded: 95\u00A0% intervals (bootstrap over probes).",
                  one ? 2 : evaluations.size(), open_set_script(evaluations, names)));
    }
    if (permutations) {
        plots.push_back(drawn(
            "permutations", "Permuted galleries and probes",
            fmt::format("Mean over {} random choices of gallery and probes among every subject's images. "
                        "Shaded: 95\u00A0% of these choices.",
                        grouped(permutations->options.permutations)),
            names.size(), permutation_script(*permutations, names)));
    }
    return plots;
}

}  // namespace fovea::report
