#include "lib/report/detection/analysis_plots.hpp"

#include <algorithm>

#include <spdlog/fmt/fmt.h>
#include <tbb/parallel_for.h>

#include "lib/report/html/palette.hpp"
#include "lib/report/plots/plot_script.hpp"

namespace fovea::report {
namespace {

// Bars of what average precision gains, in points of 100, with intervals.
PlotScript delta_ap_script(std::vector<ErrorShare> errors, const SeriesStyle& style) {
    std::erase_if(errors, [](const ErrorShare& error) {
        return error.error == DetectionError::other && error.count == 0;
    });
    Tics tics;
    PlotScript rows;
    double most = 0;
    for (std::size_t i = 0; i < errors.size(); ++i) {
        const double value = 100 * errors[i].delta_ap.value.value_or(0);
        const Interval ci = errors[i].delta_ap.ci95.value_or(Interval{value / 100, value / 100});
        most = std::max({most, value, 100 * ci[1]});
        tics.add(error_name(errors[i].error), fmt::format("n = {}", errors[i].count), plot_script("{}", i));
        rows += plot_script("{} {:.6g} {:.6g} {:.6g}\n", i, value, 100 * ci[0], 100 * ci[1]);
    }
    return axis_labels("Kind of error", "Average precision gained, points of 100") +
           plot_script(
               "set xlabel offset 0,-0.7\nset bmargin 4.6\nset grid noxtics ytics\nset xrange [-0.6:{:.6g}]\n"
               "set yrange [0:{:.6g}]\nset xtics scale 0 offset 0,0.2 {}\n",
               static_cast<double>(errors.size()) - 0.4, most > 0 ? 1.06 * most : 1, tics.script()) +
           data_block(plot_script("errors"), rows) +
           plot_command(
               {plot_script("$errors using 1:2:(0.7) with boxes fs solid 0.85 noborder {} notitle",
                            line_colour(style)),
                plot_script("$errors using 1:3:(0):($4-$3) with vectors nohead lw 1.2 lc rgb {} notitle",
                            palette::ink)});
}

PlotScript reliability_script(const ScoreCalibration& calibration, const SeriesStyle& style) {
    const double lowest = calibration.scores_are_rates ? 0 : calibration.bins.front().lowest_score;
    const double highest = calibration.scores_are_rates ? 1 : calibration.bins.back().highest_score;
    const double margin = highest > lowest ? 0.02 * (highest - lowest) : 0.5;
    std::vector<CurvePoint> curve;
    for (const IsotonicStep& step : calibration.isotonic) curve.push_back({step.score, 100 * step.value});
    curve.push_back({calibration.bins.back().highest_score, curve.back().y});
    PlotScript rows;
    for (const ReliabilityBin& bin : calibration.bins) {
        rows += plot_script("{:.6g} {:.6g} {:.6g} {:.6g}\n", bin.mean_score, 100 * bin.precision,
                            100 * bin.wilson_ci95[0], 100 * bin.wilson_ci95[1]);
    }
    std::vector<PlotScript> parts;
    PlotScript script = axis_labels("Score", "Precision of detections with this score") +
                        percent_axis(plot_script("y")) +
                        plot_script("set xrange [{:.6g}:{:.6g}]\n", lowest - margin, highest + margin) +
                        data_block(plot_script("bins"), rows) + curve_block(plot_script("isotonic"), curve);
    if (calibration.scores_are_rates) {
        script += curve_block(plot_script("diagonal"), {{0, 0}, {1, 100}});
        parts.push_back(
            plot_script("$diagonal using 1:2 with lines lw 1.2 dt (4,3) lc rgb {} notitle", palette::axis));
    }
    parts.push_back(plot_script("$isotonic using 1:2 with steps lw 2 lc rgb {} notitle", palette::axis));
    parts.push_back(plot_script("$bins using 1:3:(0):($4-$3) with vectors nohead lw 1.2 lc rgb {} notitle",
                                palette::ink));
    parts.push_back(plot_script("$bins using 1:2 with points pt 7 ps 0.8 {} notitle", line_colour(style)));
    return script + plot_command(parts);
}

// Every face has an IoU of at least 0: the curves begin behind it, with the faces that are met at all.
PlotScript iou_cumulative_script(const std::vector<DetectionAnalysis>& analyses, const Names& names,
                                 const std::vector<SeriesStyle>& styles) {
    PlotScript script = axis_labels("IoU of at least", "Share of the faces") +
                        percent_axis(plot_script("y")) + plot_script("set xrange [0:1]\nset xtics 0,0.2,1\n");
    std::vector<PlotScript> parts;
    for (std::size_t i = 0; i < analyses.size(); ++i) {
        std::vector<CurvePoint> curve;
        for (const IouShare& point : analyses[i].iou_shares) {
            if (point.iou > 0) curve.push_back({point.iou, 100 * point.share});
        }
        if (curve.empty()) continue;
        script += curve_block(plot_script("shares{}", i), curve);
        parts.push_back(plot_script("$shares{} using 1:2 with lines lw 2 {} {} title {}", i, dash(styles[i]),
                                    line_colour(styles[i]), key_name(names[i])));
    }
    return script + plot_command(parts);
}

struct Drawing {
    std::string stem;
    std::string title;
    std::string caption;
    PlotScript script;
    std::size_t key_rows = 0;
};

void add_own_drawings(std::vector<Drawing>& drawings, const DetectionAnalysis& analysis, std::size_t detector,
                      const SeriesStyle& style) {
    const std::vector<ErrorShare>& errors = analysis.errors.errors;
    if (std::any_of(errors.begin(), errors.end(), [](const ErrorShare& error) { return error.count > 0; })) {
        drawings.push_back(
            {analysis_stem("error_delta_ap", detector), "Cost of errors",
             "Gain in average precision if all errors of one kind were corrected (TIDE). The dark lines "
             "are 95\u00A0% intervals; n is the number of errors.",
             delta_ap_script(errors, style)});
    }
    if (!analysis.calibration.bins.empty()) {
        drawings.push_back(
            {analysis_stem("reliability", detector), "Reliability of scores",
             std::string(
                 "Dots: share of right detections among those of similar scores, with 95\u00A0% intervals "
                 "(Wilson). Line: the best rising fit (isotonic regression).") +
                 (analysis.calibration.scores_are_rates ? " Dashed: scores that are probabilities." : ""),
             reliability_script(analysis.calibration, style)});
    }
}

}  // namespace

std::string analysis_stem(const std::string& stem, std::size_t detector) {
    return detector == 0 ? stem : stem + "_" + std::to_string(detector + 1);
}

std::vector<DrawnPlot> analysis_plots(const DetectionAnalysis& analysis) {
    return analysis_plots(std::vector<DetectionAnalysis>{analysis}, {""});
}

std::vector<DrawnPlot> analysis_plots(const std::vector<DetectionAnalysis>& analyses,
                                      const std::vector<std::string>& names) {
    const std::vector<SeriesStyle> styles = series_styles(names);
    std::vector<Drawing> drawings;
    bool any_share = false;
    for (std::size_t i = 0; i < analyses.size(); ++i) {
        add_own_drawings(drawings, analyses[i], i, styles[i]);
        any_share = any_share || !analyses[i].iou_shares.empty();
    }
    if (any_share) {
        drawings.push_back(
            {"iou_cumulative", "Faces whose best box fits at least so well",
             "Share of the faces whose best paired detection has at least this IoU, whatever counts "
             "as a hit. On the left are all faces that any detection touches.",
             iou_cumulative_script(analyses, names, styles), analyses.size() > 1 ? analyses.size() : 0});
    }
    std::vector<DrawnPlot> plots(drawings.size());
    tbb::parallel_for(std::size_t{0}, drawings.size(), [&](std::size_t i) {
        const Drawing& drawing = drawings[i];
        plots[i] = draw_plot(drawing.stem, drawing.title, drawing.caption, drawing.script, drawing.key_rows);
    });
    return plots;
}

}  // namespace fovea::report
