#include "lib/report/detection/analysis_plots.hpp"

#include <algorithm>

namespace fovea::report {
namespace {

std::string stem_of(const std::string& stem, std::size_t detector) {
    return detector == 0 ? stem : stem + "_" + std::to_string(detector + 1);
}

Series unnamed_series(const std::vector<std::string>& names, std::size_t detector, Mark mark) {
    Series series = rival_series(names, detector, mark);
    series.name.clear();
    return series;
}

}  // namespace

std::vector<Plot> error_cost_plots(const std::vector<DetectionAnalysis>& analyses,
                                   const std::vector<std::string>& names, std::size_t detector) {
    std::vector<ErrorShare> errors = analyses[detector].errors.errors;
    if (std::none_of(errors.begin(), errors.end(), [](const ErrorShare& e) { return e.count > 0; }))
        return {};
    std::erase_if(errors, [](const ErrorShare& error) {
        return error.error == DetectionError::other && error.count == 0;
    });
    Plot plot{stem_of("error_delta_ap", detector), "Cost of errors",
              "Gain in average precision if all errors of one kind were corrected (TIDE). The dark lines are "
              "95\u00A0% intervals; n is the number of errors."};
    Series bars = unnamed_series(names, detector, Mark::bars);
    std::vector<AxisMark> marks;
    for (std::size_t i = 0; i < errors.size(); ++i) {
        const auto at = static_cast<double>(i);
        PlotPoint point{.x = at, .y = 100 * errors[i].delta_ap.value.value_or(0)};
        if (const std::optional<Interval>& ci = errors[i].delta_ap.ci95) {
            point.low = 100 * (*ci)[0];
            point.high = 100 * (*ci)[1];
        }
        bars.points.push_back(std::move(point));
        marks.push_back({at, error_name(errors[i].error), "n = " + std::to_string(errors[i].count)});
    }
    plot.x = category_axis("Kind of error", std::move(marks));
    plot.y = {.label = "Average precision gained, points of 100", .min = 0};
    plot.series.push_back(std::move(bars));
    return {plot};
}

std::vector<Plot> reliability_plots(const std::vector<DetectionAnalysis>& analyses,
                                    const std::vector<std::string>& names, std::size_t detector) {
    const ScoreCalibration& calibration = analyses[detector].calibration;
    if (calibration.bins.empty()) return {};
    Plot plot{stem_of("reliability", detector), "Reliability of scores",
              "Dots: share of right detections among those of similar scores, with 95\u00A0% intervals "
              "(Wilson). Line: the best rising fit (isotonic regression)."};
    if (calibration.scores_are_rates) plot.caption += " Dashed: scores that are probabilities.";
    const double lowest = calibration.scores_are_rates ? 0 : calibration.bins.front().lowest_score;
    const double highest = calibration.scores_are_rates ? 1 : calibration.bins.back().highest_score;
    const double margin = highest > lowest ? 0.02 * (highest - lowest) : 0.5;
    plot.x = {.label = "Score", .min = lowest - margin, .max = highest + margin};
    plot.y = share_axis("Precision of detections with this score");
    Series fit{.mark = Mark::steps, .tone = Tone::axis};
    for (const IsotonicStep& step : calibration.isotonic) fit.points.push_back({step.score, step.value});
    fit.points.push_back({calibration.bins.back().highest_score, fit.points.back().y});
    Series dots = unnamed_series(names, detector, Mark::dots);
    for (const ReliabilityBin& bin : calibration.bins)
        dots.points.push_back({bin.mean_score, bin.precision, bin.wilson_ci95[0], bin.wilson_ci95[1]});
    if (calibration.scores_are_rates)
        plot.lines.push_back({.from = std::array{0.0, 0.0}, .to = std::array{1.0, 1.0}});
    plot.series = {std::move(fit), std::move(dots)};
    return {plot};
}

std::vector<Plot> fit_plots(const std::vector<DetectionAnalysis>& analyses,
                            const std::vector<std::string>& names) {
    Plot plot{
        "iou_cumulative", "Faces by the IoU of their best box",
        "Share of the faces whose best paired detection has at least this IoU, whatever counts as a hit. "
        "On the left are all faces that any detection touches."};
    plot.x = {.label = "IoU of at least", .min = 0, .max = 1};
    plot.y = share_axis("Share of the faces");
    for (std::size_t i = 0; i < analyses.size(); ++i) {
        Series series = rival_series(names, i, Mark::line);
        // Every face has an IoU of at least 0: the curves begin behind it, with the faces that are met at
        // all.
        for (const IouShare& share : analyses[i].iou_shares) {
            if (share.iou > 0) series.points.push_back({share.iou, share.share});
        }
        if (!series.points.empty()) plot.series.push_back(std::move(series));
    }
    if (plot.series.empty()) return {};
    return {plot};
}

}  // namespace fovea::report
