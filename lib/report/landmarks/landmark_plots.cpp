#include "lib/report/landmarks/landmark_plots.hpp"

#include <algorithm>
#include <cmath>

#include <spdlog/fmt/fmt.h>

#include "lib/report/html/format.hpp"
#include "lib/report/html/palette.hpp"
#include "lib/report/landmarks/landmark_time.hpp"
#include "lib/report/landmarks/sensitivity_plots.hpp"
#include "lib/report/plots/plot_script.hpp"

namespace fovea::report {
namespace {

using LandmarkEvaluations = std::vector<LandmarkEvaluation>;

constexpr double failure_limit = 0.08;

DrawnPlot drawn(const std::string& stem, const std::string& title, const std::string& caption,
                const PlotScript& script, std::size_t key_rows, bool wide = false) {
    return draw_plot(stem, title, caption, script, key_rows > 1 ? key_rows : 0, wide);
}

// --- cumulative error distribution -----------------------------------------------------------------

// To where nearly all faces are, if that is soon; the limits of AUC and failures always show.
double error_limit(const LandmarkEvaluations& evaluations, std::size_t n) {
    double limit = 0.1;
    for (const LandmarkEvaluation& evaluation : evaluations) {
        const Number& most = number_of_key(evaluation.nme[n].numbers, "percentile_95");
        if (most.value) limit = std::max(limit, 1.1 * *most.value);
    }
    return std::min(limit, 0.15);
}

PlotScript ced_script(const LandmarkEvaluations& evaluations, const Names& names, std::size_t n) {
    const double limit = error_limit(evaluations, n);
    PlotScript script = plot_script("set style fill transparent solid 0.16\n") +
                        axis_labels("NME by " + normaliser_title(evaluations[0].normalisers[n]),
                                    "Faces with at most this error") +
                        percent_axis(plot_script("y")) +
                        plot_script(
                            "set xrange [0:{0:.6g}]\nset xtics 0,0.02\n"
                            "set arrow from first {1}, graph 0 to first {1}, graph 1 nohead back lw 1.2 "
                            "dt (4,3) lc rgb {2}\n",
                            limit, failure_limit, palette::axis);
    std::vector<PlotScript> bands;
    std::vector<PlotScript> lines;
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        const NormalisedError& error = evaluations[i].nme[n];
        std::vector<CurvePoint> curve{{0, 0}};
        for (std::size_t k = 0; k < error.errors.size() && error.errors[k] <= limit; ++k) {
            curve.push_back({error.errors[k], 100.0 * static_cast<double>(k + 1) / evaluations[i].faces});
        }
        curve.push_back({limit, curve.back().y});
        script += curve_block(plot_script("curve{}", i), thinned(curve, limit / 1000, 0.1));
        if (evaluations.size() <= max_with_bars && !error.ced_band.empty()) {
            std::vector<BandEdge> edges;
            for (const BandPoint& point : error.ced_band) {
                if (point.at > limit) continue;
                edges.push_back({point.at, 100 * point.ci95[0], 100 * point.ci95[1]});
            }
            script += band_block(plot_script("band{}", i), edges);
            bands.push_back(
                plot_script("$band{} using 1:2:3 with filledcurves fs solid 0.16 noborder fc rgb {} notitle",
                            i, series_colour(i)));
        }
        const Number& area = number_of_key(error.numbers, "auc_0.08");
        const std::string title =
            fmt::format("{} (AUC {})", key_name(names[i], 10), fixed(area.value.value_or(0), 3));
        lines.push_back(plot_script("$curve{} using 1:2 with steps lw 2 {} {} title {}", i, dash(i),
                                    line_colour(i), title));
    }
    bands.insert(bands.end(), lines.begin(), lines.end());
    return script + plot_command(bands);
}

std::vector<DrawnPlot> ced_plots(const LandmarkEvaluations& evaluations, const Names& names) {
    std::vector<DrawnPlot> plots;
    const bool few = evaluations.size() <= max_with_bars;
    for (std::size_t n = 0; n < evaluations[0].normalisers.size(); ++n) {
        const LandmarkNormaliser normaliser = evaluations[0].normalisers[n];
        plots.push_back(
            drawn("ced_" + normaliser_name(normaliser), "Errors by " + normaliser_title(normaliser),
                  "Share of all faces with at most a certain NME; faces missed keep the curve below "
                  "100\u00A0%. The dashed line is the limit of AUC and failures, 0.08." +
                      std::string(few ? " The shade is the 95\u00A0% interval (bootstrap)." : ""),
                  ced_script(evaluations, names, n), evaluations.size()));
    }
    return plots;
}

// --- box and whiskers ------------------------------------------------------------------------------

using Parts = std::vector<PartError> LandmarkEvaluation::*;

// The top of what is drawn of the parts: whiskers, or medians alone.
double largest_shown(const LandmarkEvaluations& evaluations, Parts parts, double PartError::*shown) {
    double largest = 0;
    for (const LandmarkEvaluation& evaluation : evaluations) {
        for (const PartError& part : evaluation.*parts) largest = std::max(largest, part.*shown);
    }
    return largest > 0 ? largest : 1;
}

// Boxes of `width` at each part's place and `offset`.
PlotScript box_data(const PlotScript& name, const std::vector<PartError>& parts, double offset) {
    PlotScript rows;
    for (std::size_t k = 0; k < parts.size(); ++k) {
        const PartError& part = parts[k];
        const Number& mean = number_of_key(part.numbers, "mean");
        rows += plot_script("{:.6g} {:.6g} {:.6g} {:.6g} {:.6g} {:.6g} {:.6g}\n",
                            static_cast<double>(k) + offset, part.lower_whisker, part.lower_quartile,
                            part.median, part.upper_quartile, part.upper_whisker, mean.value.value_or(0));
    }
    return data_block(name, rows);
}

void add_boxes(const PlotScript& data, std::size_t series, double width, const std::string& title,
               std::vector<PlotScript>& parts) {
    parts.push_back(
        plot_script("${} using 1:3:2:6:5:({:.6g}) with candlesticks whiskerbars 0.5 fs solid 0.35 border "
                    "lw 1.2 {} title {}",
                    data, width, line_colour(series), title));
    parts.push_back(
        plot_script("${0} using ($1-{1:.6g}):4:({2:.6g}):(0) with vectors nohead lw 2 lc rgb {3} notitle",
                    data, width / 2, width, palette::ink));
    parts.push_back(
        plot_script("${} using 1:7 with points pt 7 ps 0.35 lc rgb {} notitle", data, palette::ink));
}

PlotScript parts_axes(const LandmarkEvaluations& evaluations, std::size_t count, double top,
                      std::string_view x_label) {
    return axis_labels(x_label,
                       "Distance / " + normaliser_title(evaluations[0].normalisers[evaluations[0].primary])) +
           plot_script("set xrange [-0.7:{:.6g}]\nset yrange [0:{:.6g}]\nset grid noxtics ytics\n",
                       static_cast<double>(count) - 0.3, 1.06 * top);
}

const std::string box_caption =
    "Box: quartiles, with the median as a line and the mean as a dot; whiskers reach to the last face within "
    "1.5 "
    "interquartile ranges, those beyond are not drawn. Over the faces found.";

PlotScript region_script(const LandmarkEvaluations& evaluations, const Names& names) {
    const std::vector<LandmarkRegion> regions = landmark_regions(evaluations[0].points);
    const double top = largest_shown(evaluations, &LandmarkEvaluation::by_region, &PartError::upper_whisker);
    Tics tics;
    for (std::size_t k = 0; k < regions.size(); ++k) {
        const std::string& title = regions[k].title;
        const std::size_t space = title.find(' ');
        if (space == std::string::npos) {
            tics.add(title, plot_script("{}", k));
        } else {
            tics.add(title.substr(0, space), title.substr(space + 1), plot_script("{}", k));
        }
    }
    PlotScript script = parts_axes(evaluations, regions.size(), top, "") +
                        plot_script("unset xlabel\nset xtics scale 0 {}\nset bmargin 3.2\n", tics.script());
    std::vector<PlotScript> parts;
    const double width = 0.76 / static_cast<double>(evaluations.size());
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        const double offset =
            width * (static_cast<double>(i) - static_cast<double>(evaluations.size() - 1) / 2);
        if (evaluations[i].by_region.empty()) continue;
        const PlotScript name = plot_script("boxes{}", i);
        script += box_data(name, evaluations[i].by_region, offset);
        add_boxes(name, i, 0.8 * width, key_name(names[i]), parts);
    }
    return script + plot_command(parts);
}

// Names of the regions above their points, with lines between them.
PlotScript region_marks(std::size_t points) {
    PlotScript script;
    for (const LandmarkRegion& region : landmark_regions(points)) {
        const double begin = static_cast<double>(region.first) - 0.5;
        const double middle = begin + static_cast<double>(region.count) / 2;
        if (region.first > 0) {
            script += plot_script(
                "set arrow from first {0}, graph 0 to first {0}, graph 1 nohead back lw 1 lc rgb {1}\n",
                begin, palette::grid);
        }
        script +=
            plot_script("set label {} at first {:.6g}, graph 0.965 center font 'Helvetica,11' tc rgb {}\n",
                        region.title, middle, palette::axis);
    }
    return script;
}

PlotScript point_script(const LandmarkEvaluations& evaluations, const Names& names) {
    const double top =
        largest_shown(evaluations, &LandmarkEvaluation::by_point,
                      evaluations.size() == 1 ? &PartError::upper_whisker : &PartError::median);
    // Room above for the regions' names.
    PlotScript script = parts_axes(evaluations, evaluations[0].points, 1.08 * top, "Point, from 0") +
                        region_marks(evaluations[0].points) +
                        plot_script("set xtics 0,{}\n", evaluations[0].points > 20 ? 4 : 1);
    std::vector<PlotScript> parts;
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        if (evaluations[i].by_point.empty()) continue;
        const PlotScript name = plot_script("boxes{}", i);
        script += box_data(name, evaluations[i].by_point, 0);
        if (evaluations.size() == 1) {
            add_boxes(name, 0, 0.6, "", parts);
        } else {
            parts.push_back(plot_script("${} using 1:4 with linespoints pt {} ps 0.5 lw 1.6 {} {} title {}",
                                        name, 5 + 2 * (i % 5), dash(i), line_colour(i), key_name(names[i])));
        }
    }
    return script + plot_command(parts);
}

bool has_parts(const LandmarkEvaluations& evaluations, Parts parts) {
    return std::any_of(evaluations.begin(), evaluations.end(),
                       [&](const LandmarkEvaluation& evaluation) { return !(evaluation.*parts).empty(); });
}

}  // namespace

std::vector<DrawnPlot> LandmarkPlots::all() const {
    std::vector<DrawnPlot> plots = curves;
    for (const std::vector<DrawnPlot>* more : {&regions, &points, &shapes, &sensitivity, &over_time}) {
        plots.insert(plots.end(), more->begin(), more->end());
    }
    return plots;
}

LandmarkPlots landmark_plots(const LandmarkEvaluations& evaluations, const Names& names) {
    LandmarkPlots plots;
    plots.curves = ced_plots(evaluations, names);
    double largest_median = 0;  // one scale of colours for all
    for (const LandmarkEvaluation& evaluation : evaluations) {
        for (const PartError& part : evaluation.by_point)
            largest_median = std::max(largest_median, part.median);
    }
    if (has_parts(evaluations, &LandmarkEvaluation::by_region)) {
        plots.regions.push_back(drawn("regions", "Errors by region", box_caption,
                                      region_script(evaluations, names), evaluations.size()));
    }
    if (has_parts(evaluations, &LandmarkEvaluation::by_point)) {
        plots.points.push_back(drawn("points", "Errors by point",
                                     evaluations.size() == 1 ? box_caption : "Medians over the faces found.",
                                     point_script(evaluations, names), evaluations.size(), true));
    }
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        const std::string number = evaluations.size() == 1 ? "" : fmt::format("_{}", i + 1);
        DrawnPlot plot = landmark_shape_plot(evaluations[i], "mean_shape" + number,
                                             evaluations.size() == 1
                                                 ? "Errors on the mean face"
                                                 : shortened(names[i], 52) + ": errors on the mean face",
                                             largest_median);
        if (!plot.svg.empty()) plots.shapes.push_back(std::move(plot));
    }
    plots.sensitivity = sensitivity_plots(evaluations, names);
    plots.over_time = landmark_time_plots(evaluations, names);
    return plots;
}

}  // namespace fovea::report
