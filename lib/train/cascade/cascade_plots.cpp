#include "lib/train/cascade/cascade_plots.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

#include "lib/report/html/palette.hpp"
#include "lib/report/plots/plot_script.hpp"

namespace fovea::report {
namespace {

/// Curves are drawn to a thousandth of the axes.
constexpr double roc_x_step = 0.005, roc_y_step = 0.05;

PlotScript marked_line(const PlotScript& name, std::size_t series, std::string_view title) {
    return plot_script("${} using 1:2 with linespoints lw 2 pt 7 ps 0.5 {} {} title {}", name, dash(series),
                       line_colour(series), title);
}

}  // namespace

DrawnPlot rejection_plot(const CascadeRates& rates) {
    std::vector<CurvePoint> bars;
    double least = 100;
    const auto add = [&](double place, std::int64_t count) {
        const double share =
            rates.windows > 0 ? 100 * static_cast<double>(count) / static_cast<double>(rates.windows) : 0;
        if (share > 0) least = std::min(least, share);
        bars.push_back({place, share});
    };
    const bool has_flat = rates.flat > 0;
    if (has_flat) add(0, rates.flat);
    for (std::size_t s = 0; s < rates.rejected.size(); ++s)
        add(static_cast<double>(s + 1), rates.rejected[s]);
    // From the power of ten below the lowest bar.
    const double bottom = std::pow(10, std::ceil(std::log10(least)) - 1);
    const std::size_t tics = std::max<std::size_t>(1, rates.rejected.size() / 10);
    const PlotScript script =
        axis_labels("Stage", "Windows rejected") +
        plot_script(
            "set logscale y\nset yrange [{:.3g}:100]\nset format y '%g %%'\nset xrange [{}:{}]\nset xtics "
            "{},{}\nset boxwidth 0.7\nset style fill solid 0.8 noborder\n",
            bottom, has_flat ? -0.7 : 0.3, static_cast<double>(rates.rejected.size()) + 0.7, tics, tics) +
        (has_flat ? plot_script("set xtics add ({} 0)\n", "contrast") : PlotScript()) +
        curve_block(plot_script("bars"), bars) +
        plot_command({plot_script("$bars using 1:($2>0?$2:NaN) with boxes {} notitle", line_colour(0))});
    return draw_plot_with_key(
        "training_rejection", "Windows rejected by each stage",
        has_flat ? "Share of all windows that a scan visits in the backgrounds; those without contrast are "
                   "rejected before the first stage."
                 : "Share of all windows that a scan visits in the backgrounds.",
        script, 0);
}

DrawnPlot stage_rates_plot(const std::vector<CascadeStageResult>& stages, double max_false_alarm) {
    std::vector<CurvePoint> hits, alarms, wanted;
    for (std::size_t s = 0; s < stages.size(); ++s) {
        const auto stage = static_cast<double>(s + 1);
        hits.push_back({stage, 100 * stages[s].hit_rate});
        alarms.push_back({stage, 100 * stages[s].false_alarm});
    }
    const double end = static_cast<double>(stages.size()) + 0.5;
    wanted = {{0.5, 100 * max_false_alarm}, {end, 100 * max_false_alarm}};
    const PlotScript script =
        axis_labels("Stage", "Share that passes") + percent_axis(plot_script("y")) +
        plot_script("set yrange [0:104]\nset xrange [0.5:{}]\nset xtics 1,{}\n", end,
                    std::max<std::size_t>(1, stages.size() / 12)) +
        curve_block(plot_script("hits"), hits) + curve_block(plot_script("alarms"), alarms) +
        curve_block(plot_script("wanted"), wanted) +
        plot_command({marked_line(plot_script("hits"), 0, "positives (hit rate)"),
                      marked_line(plot_script("alarms"), 1, "negatives (false alarms)"),
                      plot_script("$wanted using 1:2 with lines lw 1 dt (4,4) lc rgb {} title {}",
                                  palette::axis, "false alarms at most, as wanted")});
    return draw_plot_with_key("training_stages", "Hits and false alarms of each stage",
                              "On the samples that decide when a stage is done; each stage sees only what "
                              "those before it let pass.",
                              script, 3);
}

DrawnPlot cascade_roc_plot(const CascadeRates& rates) {
    const auto points_of = [](const std::vector<RatePoint>& from) {
        std::vector<CurvePoint> points;
        for (const RatePoint& point : from) {
            if (point.false_alarm > 0)
                points.push_back({std::log10(point.false_alarm), 100 * point.hit_rate});
        }
        return points;
    };
    std::vector<CurvePoint> stages = points_of(rates.stages);
    std::vector<CurvePoint> last = thinned(points_of(rates.last_stage), roc_x_step, roc_y_step);
    double least = 100, leftmost = 0;
    for (const CurvePoint& point : stages) {
        least = std::min(least, point.y);
        leftmost = std::min(leftmost, point.x);
    }
    for (const CurvePoint& point : last) leftmost = std::min(leftmost, point.x);
    for (auto* points : {&stages, &last}) {
        for (CurvePoint& point : *points) point.x = std::pow(10, point.x);
    }
    // A little below the stages: the last one's threshold may go as far down as no hit at all.
    const double bottom = std::max(0.0, 10 * std::floor((least - 10) / 10));
    PlotScript script =
        axis_labels("False alarms, share of the windows", "Hit rate") +
        plot_script(
            "set logscale x\nset format x '%.0e'\nset format y '%g %%'\nset yrange [{:.3g}:100.5]\nset "
            "xrange "
            "[{:.3g}:1]\n",
            bottom, std::pow(10, std::floor(leftmost - 1e-9)));
    std::vector<PlotScript> lines;
    if (!last.empty()) {
        script += curve_block(plot_script("last"), last);
        lines.push_back(plot_script("$last using 1:2 with lines lw 2 {} title {}", line_colour(1),
                                    "by the last stage's threshold"));
    }
    if (!stages.empty()) {
        script += curve_block(plot_script("stages"), stages);
        lines.push_back(marked_line(plot_script("stages"), 0, "behind each stage"));
    }
    if (lines.empty()) script += note("no window of the backgrounds passes a stage");
    script += plot_command(lines);
    return draw_plot_with_key(
        "training_roc", "ROC of windows",
        "Positives found against windows of the backgrounds that pass, as the stages are cut off one by one "
        "(dots), and by the threshold of the last stage. Windows are counted one by one, before they are "
        "grouped.",
        script, lines.size());
}

DrawnPlot sweep_plot(const std::vector<SweepPoint>& sweep) {
    const std::pair<const char*, double (WindowTestResult::*)() const> measures[] = {
        {"F1", &WindowTestResult::f1},
        {"precision", &WindowTestResult::precision},
        {"recall", &WindowTestResult::recall},
        {"accuracy", &WindowTestResult::accuracy}};
    PlotScript script = axis_labels(sweep.at(0).field, "Share of the windows") +
                        percent_axis(plot_script("y")) + plot_script("set yrange [0:102]\n");
    std::vector<PlotScript> lines;
    for (const auto& [title, measure] : measures) {
        std::vector<CurvePoint> points;
        for (const SweepPoint& point : sweep) {
            const double share = point.is_trained() ? (point.test.*measure)() : NAN;
            if (std::isfinite(share)) points.push_back({point.value.value, 100 * share});
        }
        if (points.empty()) continue;
        const PlotScript name = plot_script("m{}", lines.size());
        script += curve_block(name, points);
        lines.push_back(marked_line(name, lines.size(), title));
    }
    if (sweep.size() == 1)
        script += plot_script("set xrange [{:.6g}:{:.6g}]\n", sweep[0].value.value - 0.5,
                              sweep[0].value.value + 0.5);
    script += plot_command(lines);
    return draw_plot_with_key("sweep", "The cascades of the sweep on held-out windows",
                              "Each dot is a cascade; all were tested on the same windows.", script,
                              lines.size());
}

DrawnPlot sweep_rates_plot(const std::vector<SweepPoint>& sweep) {
    std::vector<CurvePoint> points;
    std::vector<std::string> values;
    for (const SweepPoint& point : sweep) {
        if (!point.is_trained()) continue;
        const WindowTestResult& test = point.test;
        const double alarms = static_cast<double>(test.false_positives) /
                              static_cast<double>(test.false_positives + test.true_negatives);
        points.push_back({100 * alarms, 100 * test.recall()});
        values.push_back(point.value.text);
    }
    PlotScript script = axis_labels("Windows of backgrounds that pass", "Recall") +
                        percent_axis(plot_script("x")) + percent_axis(plot_script("y")) +
                        plot_script("set xrange [-2:104]\nset yrange [0:106]\n") +
                        curve_block(plot_script("points"), points);
    // All of them would lie over each other.
    for (const std::size_t i : {std::size_t{0}, points.size() - 1}) {
        script += plot_script("set label {} at {:.6g},{:.6g} left offset 0.8,-0.7 tc rgb {}\n", values[i],
                              points[i].x, points[i].y, palette::ink);
    }
    script += plot_command(
        {plot_script("$points using 1:2 with linespoints lw 1 pt 7 ps 0.7 {} notitle", line_colour(0))});
    return draw_plot_with_key(
        "sweep_rates", "Recall and false alarms of the cascades",
        "Each dot is a cascade, from the first value of " + sweep.at(0).field + " to the last.", script, 0);
}

}  // namespace fovea::report
