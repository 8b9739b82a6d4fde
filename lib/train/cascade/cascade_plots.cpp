#include "lib/train/cascade/cascade_plots.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace fovea::report {
namespace {

/// Stages from 1, so few of them marked that no label touches another.
Axis stage_axis(std::size_t stages, std::size_t most_marks) {
    Axis axis{.label = "Stage", .min = 0.3, .max = static_cast<double>(stages) + 0.7};
    const std::size_t step = std::max<std::size_t>(1, stages / most_marks);
    for (std::size_t stage = step; stage <= stages; stage += step)
        axis.marks.push_back({static_cast<double>(stage), std::to_string(stage)});
    return axis;
}

std::vector<PlotPoint> roc_points(const std::vector<RatePoint>& rates) {
    std::vector<PlotPoint> points;
    for (const RatePoint& point : rates) {
        if (point.false_alarm > 0) points.push_back({point.false_alarm, point.hit_rate});
    }
    return points;
}

}  // namespace

Plot rejection_plot(const CascadeRates& rates) {
    Plot plot{"training_rejection", "Windows rejected by each stage",
              "Share of all windows that a scan visits in the backgrounds."};
    plot.x = stage_axis(rates.rejected.size(), 10);
    plot.y = {.label = "Windows rejected", .is_share = true, .scale = Scale::log, .max = 1};
    Series bars{.mark = Mark::bars, .width = 0.7};
    double least = 1;
    const auto add = [&](std::size_t place, std::int64_t count) {
        if (count <= 0 || rates.windows <= 0) return;
        bars.points.push_back(
            {static_cast<double>(place), static_cast<double>(count) / static_cast<double>(rates.windows)});
        least = std::min(least, bars.points.back().y);
    };
    if (rates.flat > 0) {
        plot.caption =
            "Share of all windows that a scan visits in the backgrounds; those without contrast are "
            "rejected before the first stage.";
        plot.x.min = -0.7;
        plot.x.marks.insert(plot.x.marks.begin(), {0, "contrast"});
        add(0, rates.flat);
    }
    for (std::size_t s = 0; s < rates.rejected.size(); ++s) add(s + 1, rates.rejected[s]);
    // From the power of ten below the lowest bar.
    plot.y.min = std::pow(10, std::ceil(std::log10(least)) - 1);
    plot.series = {std::move(bars)};
    return plot;
}

Plot stage_rates_plot(const std::vector<CascadeStageResult>& stages, double max_false_alarm) {
    std::vector<std::vector<PlotPoint>> points(2);
    for (std::size_t s = 0; s < stages.size(); ++s) {
        const auto stage = static_cast<double>(s + 1);
        points[0].push_back({stage, stages[s].hit_rate});
        points[1].push_back({stage, stages[s].false_alarm});
    }
    Plot plot{
        "training_stages", "Hits and false alarms of each stage",
        "On the samples that decide when a stage is done; each stage sees only what those before it let "
        "pass."};
    plot.x = stage_axis(stages.size(), 12);
    plot.y = share_axis("Share that passes");
    plot.y.max = 1.04;
    plot.series =
        curves_of({"positives (hit rate)", "negatives (false alarms)"}, std::move(points), Mark::line_dots);
    plot.series.push_back({.name = "false alarms at most, as wanted",
                           .style = {.dashes = {4, 4}},
                           .tone = Tone::axis,
                           .points = {{*plot.x.min, max_false_alarm}, {*plot.x.max, max_false_alarm}}});
    return plot;
}

Plot cascade_roc_plot(const CascadeRates& rates) {
    Plot plot{
        "training_roc", "ROC of windows",
        "Positives found against windows of the backgrounds that pass, as the stages are cut off one by one "
        "(dots), and by the threshold of the last stage. Windows are counted one by one, before they are "
        "grouped."};
    plot.x = {.label = "False alarms, share of the windows", .scale = Scale::log, .max = 1};
    plot.y = share_axis("Hit rate");
    plot.series = curves_of({"behind each stage", "by the last stage's threshold"},
                            {roc_points(rates.stages), thinned(roc_points(rates.last_stage), plot.x, plot.y)},
                            Mark::line);
    if (plot.series.empty()) plot.empty_note = "no window of the backgrounds passes a stage";
    double least = 1, leftmost = 1;
    for (Series& series : plot.series) {
        const bool is_by_stage = series.style.colour == 0;
        if (is_by_stage) series.mark = Mark::line_dots;
        for (const PlotPoint& point : series.points) {
            if (is_by_stage) least = std::min(least, point.y);
            leftmost = std::min(leftmost, point.x);
        }
    }
    // A little below the stages: the last one's threshold may go as far down as no hit at all.
    plot.y.min = std::max(0.0, std::floor(10 * least - 1) / 10);
    plot.x.min = std::pow(10, std::floor(std::log10(leftmost) - 1e-9));
    return plot;
}

Plot sweep_plot(const std::vector<SweepPoint>& sweep) {
    const std::pair<const char*, double (WindowTestResult::*)() const> measures[] = {
        {"F1", &WindowTestResult::f1},
        {"precision", &WindowTestResult::precision},
        {"recall", &WindowTestResult::recall},
        {"accuracy", &WindowTestResult::accuracy}};
    std::vector<std::string> names;
    std::vector<std::vector<PlotPoint>> points;
    for (const auto& [name, measure] : measures) {
        names.emplace_back(name);
        points.emplace_back();
        for (const SweepPoint& point : sweep) {
            const double share = point.is_trained() ? (point.test.*measure)() : no_value;
            if (std::isfinite(share)) points.back().push_back({point.value.value, share});
        }
    }
    Plot plot{"sweep", "The cascades of the sweep on held-out windows",
              "Each dot is a cascade; all were tested on the same windows."};
    plot.x.label = sweep.at(0).field;
    if (sweep.size() == 1) {
        plot.x.min = sweep[0].value.value - 0.5;
        plot.x.max = sweep[0].value.value + 0.5;
    }
    plot.y = share_axis("Share of the windows");
    plot.y.max = 1.02;
    plot.series = curves_of(names, std::move(points), Mark::line_dots);
    return plot;
}

Plot sweep_rates_plot(const std::vector<SweepPoint>& sweep) {
    Plot plot{"sweep_rates", "Recall and false alarms of the cascades",
              "Each dot is a cascade, from the first value of " + sweep.at(0).field + " to the last."};
    Series dots{.mark = Mark::line_dots};
    for (const SweepPoint& point : sweep) {
        if (!point.is_trained()) continue;
        const WindowTestResult& test = point.test;
        const double alarms = static_cast<double>(test.false_positives) /
                              static_cast<double>(test.false_positives + test.true_negatives);
        dots.points.push_back(
            {.x = alarms, .y = test.recall(), .note = point.field + " " + point.value.text});
        // All of them would lie over each other.
        if (plot.labels.size() == 2) plot.labels.pop_back();
        plot.labels.push_back({alarms, test.recall(), point.value.text});
    }
    plot.x = share_axis("Windows of backgrounds that pass");
    plot.x.min = -0.02;
    plot.x.max = 1.04;
    plot.y = share_axis("Recall");
    plot.y.max = 1.06;
    plot.series = {std::move(dots)};
    return plot;
}

}  // namespace fovea::report
