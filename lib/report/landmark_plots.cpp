#include "lib/report/landmark_plots.hpp"

#include <algorithm>
#include <cmath>

#include <spdlog/fmt/fmt.h>

#include "lib/report/format.hpp"
#include "lib/report/gnuplot.hpp"
#include "lib/report/palette.hpp"
#include "lib/report/plot_script.hpp"
#include "lib/report/sensitivity_plots.hpp"

namespace fovea::report {
namespace {

using LandmarkEvaluations = std::vector<LandmarkEvaluation>;

constexpr double failure_limit = 0.08;

std::string colour(std::size_t i) {
    return fmt::format("lc rgb '{}'", series_colour(i));
}

Plot drawn(const std::string& stem, const std::string& title, const std::string& caption,
           const std::string& script, std::size_t key_rows, bool wide = false) {
    return draw_plot(stem, title, caption, script, key_rows > 1 ? key_rows : 0, wide);
}

// --- cumulative error distribution -----------------------------------------------------------------

// To where nearly all faces are, if that is soon; the limits of AUC and failures always show.
double error_limit(const LandmarkEvaluations& evaluations, std::size_t n) {
    double limit = 0.1;
    for (const LandmarkEvaluation& evaluation : evaluations) {
        const Estimate& most = number_of_key(evaluation.nme[n].numbers, "percentile_95");
        if (most.value) limit = std::max(limit, 1.1 * *most.value);
    }
    return std::min(limit, 0.15);
}

std::string ced_script(const LandmarkEvaluations& evaluations, const Names& names, std::size_t n) {
    const double limit = error_limit(evaluations, n);
    std::string script = axis_labels("NME by " + normaliser_title(evaluations[0].normalisers[n]),
                                     "Faces with at most this error") +
                         percent_axis('y') + fmt::format("set xrange [0:{:.6g}]\nset xtics 0,0.02\n", limit) +
                         fmt::format(
                             "set arrow from first {0}, graph 0 to first {0}, graph 1 nohead back lw 1.2 "
                             "dt (4,3) lc rgb '{1}'\n",
                             failure_limit, palette::axis);
    std::vector<std::string> bands;
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        const NormalisedError& error = evaluations[i].nme[n];
        std::vector<CurvePoint> curve{{0, 0}};
        for (std::size_t k = 0; k < error.errors.size() && error.errors[k] <= limit; ++k) {
            curve.push_back({error.errors[k], 100.0 * static_cast<double>(k + 1) / evaluations[i].faces});
        }
        curve.push_back({limit, curve.back().y});
        script += data_block(fmt::format("curve{}", i), thinned(curve, limit / 1000, 0.1));
        if (evaluations.size() <= most_with_bars && !error.ced_band.empty()) {
            script += fmt::format("$band{} << END\n", i);
            for (const BandPoint& point : error.ced_band) {
                if (point.at > limit) continue;
                script +=
                    fmt::format("{:.6g} {:.6g} {:.6g}\n", point.at, 100 * point.ci95[0], 100 * point.ci95[1]);
            }
            script += "END\n";
            bands.push_back(
                fmt::format("$band{} using 1:2:3 with filledcurves fs solid 0.16 noborder {} notitle", i,
                            "fc rgb '" + series_colour(i) + "'"));
        }
        const Estimate& area = number_of_key(error.numbers, "auc_0.08");
        const std::string title = gnuplot_quoted(
            fmt::format("{} (AUC {})", key_name(names[i], 10), fixed(area.value.value_or(0), 3)));
        lines.push_back(
            fmt::format("$curve{} using 1:2 with steps lw 2 {} {} title {}", i, dash(i), colour(i), title));
    }
    bands.insert(bands.end(), lines.begin(), lines.end());
    return "set style fill transparent solid 0.16\n" + script + plot_command(bands);
}

std::vector<Plot> ced_plots(const LandmarkEvaluations& evaluations, const Names& names) {
    std::vector<Plot> plots;
    const bool few = evaluations.size() <= most_with_bars;
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
std::string box_data(const std::string& name, const std::vector<PartError>& parts, double offset) {
    std::string block = "$" + name + " << END\n";
    for (std::size_t k = 0; k < parts.size(); ++k) {
        const PartError& part = parts[k];
        const Estimate& mean = number_of_key(part.numbers, "mean");
        block += fmt::format("{:.6g} {:.6g} {:.6g} {:.6g} {:.6g} {:.6g} {:.6g}\n",
                             static_cast<double>(k) + offset, part.lower_whisker, part.lower_quartile,
                             part.median, part.upper_quartile, part.upper_whisker, mean.value.value_or(0));
    }
    return block + "END\n";
}

void add_boxes(const std::string& data, std::size_t series, double width, const std::string& title,
               std::vector<std::string>& parts) {
    parts.push_back(
        fmt::format("${} using 1:3:2:6:5:({:.6g}) with candlesticks whiskerbars 0.5 fs solid 0.35 border "
                    "lw 1.2 {} title {}",
                    data, width, colour(series), title));
    parts.push_back(
        fmt::format("${0} using ($1-{1:.6g}):4:({2:.6g}):(0) with vectors nohead lw 2 lc rgb '{3}' notitle",
                    data, width / 2, width, palette::ink));
    parts.push_back(
        fmt::format("${} using 1:7 with points pt 7 ps 0.35 lc rgb '{}' notitle", data, palette::ink));
}

std::string parts_axes(const LandmarkEvaluations& evaluations, std::size_t count, double top,
                       const std::string& x_label) {
    return axis_labels(x_label,
                       "Distance / " + normaliser_title(evaluations[0].normalisers[evaluations[0].primary])) +
           fmt::format("set xrange [-0.7:{:.6g}]\nset yrange [0:{:.6g}]\nset grid noxtics ytics\n",
                       static_cast<double>(count) - 0.3, 1.06 * top);
}

const std::string box_caption =
    "Box: quartiles, with the median as a line and the mean as a dot; whiskers reach to the last face within "
    "1.5 "
    "interquartile ranges, those beyond are not drawn. Over the faces found.";

std::string region_script(const LandmarkEvaluations& evaluations, const Names& names) {
    const std::vector<LandmarkRegion> regions = landmark_regions(evaluations[0].points);
    const double top = largest_shown(evaluations, &LandmarkEvaluation::by_region, &PartError::upper_whisker);
    std::string script = parts_axes(evaluations, regions.size(), top, "");
    script += "unset xlabel\nset xtics scale 0 (";
    for (std::size_t k = 0; k < regions.size(); ++k) {
        std::string label = regions[k].title;
        const std::size_t space = label.find(' ');
        if (space != std::string::npos) label.replace(space, 1, "\\n");  // gnuplot's line break
        script += fmt::format("{}\"{}\" {}", k == 0 ? "" : ", ", label, k);
    }
    script += ")\nset bmargin 3.2\n";
    std::vector<std::string> parts;
    const double width = 0.76 / static_cast<double>(evaluations.size());
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        const double offset =
            width * (static_cast<double>(i) - static_cast<double>(evaluations.size() - 1) / 2);
        if (evaluations[i].by_region.empty()) continue;
        script += box_data(fmt::format("boxes{}", i), evaluations[i].by_region, offset);
        add_boxes(fmt::format("boxes{}", i), i, 0.8 * width, gnuplot_quoted(key_name(names[i])), parts);
    }
    return script + plot_command(parts);
}

// Names of the regions above their points, with lines between them.
std::string region_marks(std::size_t points) {
    std::string script;
    for (const LandmarkRegion& region : landmark_regions(points)) {
        const double begin = static_cast<double>(region.first) - 0.5;
        const double middle = begin + static_cast<double>(region.count) / 2;
        if (region.first > 0) {
            script += fmt::format(
                "set arrow from first {0}, graph 0 to first {0}, graph 1 nohead back lw 1 lc rgb "
                "'{1}'\n",
                begin, palette::grid);
        }
        script += fmt::format(
            "set label '{}' at first {:.6g}, graph 0.965 center font 'Helvetica,11' tc rgb '{}'\n",
            region.title, middle, palette::axis);
    }
    return script;
}

std::string point_script(const LandmarkEvaluations& evaluations, const Names& names) {
    const double top =
        largest_shown(evaluations, &LandmarkEvaluation::by_point,
                      evaluations.size() == 1 ? &PartError::upper_whisker : &PartError::median);
    // Room above for the regions' names.
    std::string script = parts_axes(evaluations, evaluations[0].points, 1.08 * top, "Point, from 0") +
                         region_marks(evaluations[0].points);
    script += evaluations[0].points > 20 ? "set xtics 0,4\n" : "set xtics 0,1\n";
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        if (evaluations[i].by_point.empty()) continue;
        script += box_data(fmt::format("boxes{}", i), evaluations[i].by_point, 0);
        if (evaluations.size() == 1) {
            add_boxes("boxes0", 0, 0.6, "''", parts);
        } else {
            parts.push_back(
                fmt::format("$boxes{} using 1:4 with linespoints pt {} ps 0.5 lw 1.6 {} {} title {}", i,
                            5 + 2 * (i % 5), dash(i), colour(i), gnuplot_quoted(key_name(names[i]))));
        }
    }
    return script + plot_command(parts);
}

bool has_parts(const LandmarkEvaluations& evaluations, Parts parts) {
    return std::any_of(evaluations.begin(), evaluations.end(),
                       [&](const LandmarkEvaluation& evaluation) { return !(evaluation.*parts).empty(); });
}

}  // namespace

std::vector<Plot> LandmarkPlots::all() const {
    std::vector<Plot> plots = curves;
    for (const std::vector<Plot>* more : {&regions, &points, &shapes, &sensitivity}) {
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
        Plot plot = landmark_shape_plot(evaluations[i], "mean_shape" + number,
                                        evaluations.size() == 1
                                            ? "Errors on the mean face"
                                            : shortened(names[i], 52) + ": errors on the mean face",
                                        largest_median);
        if (!plot.svg.empty()) plots.shapes.push_back(std::move(plot));
    }
    plots.sensitivity = sensitivity_plots(evaluations, names);
    return plots;
}

}  // namespace fovea::report
