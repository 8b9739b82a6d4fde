#include <algorithm>
#include <cmath>
#include <numeric>

#include <spdlog/fmt/fmt.h>

#include "lib/report/html/format.hpp"
#include "lib/report/landmarks/landmark_time.hpp"
#include "lib/report/plots/plot_script.hpp"

namespace fovea::report {
namespace {

using TimedEvaluations = std::vector<LandmarkEvaluation>;

constexpr std::size_t max_videos_over_time = 2;
constexpr double largest_shown_error = 0.15;

std::string nme_label(const TimedEvaluations& evaluations) {
    const LandmarkEvaluation& first = evaluations[0];
    return "NME by " + normaliser_title(first.normalisers[first.primary]);
}

std::size_t key_rows(const TimedEvaluations& evaluations) {
    return evaluations.size() > 1 ? evaluations.size() : 0;
}

bool has_drift(const LandmarkEvaluation& evaluation) {
    return evaluation.over_time && !evaluation.over_time->drift.empty();
}

std::vector<DrawnPlot> drift_plots(const TimedEvaluations& evaluations, const Names& names) {
    if (std::none_of(evaluations.begin(), evaluations.end(), has_drift)) return {};
    PlotScript script = axis_labels("Frames since the last detection", nme_label(evaluations)) +
                        plot_script("set xrange [-0.5:*]\nset yrange [0:*]\n");
    std::vector<PlotScript> bands, lines;
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        if (!has_drift(evaluations[i])) continue;
        std::vector<CurvePoint> curve;
        std::vector<BandEdge> band;
        for (const LandmarkDrift& group : evaluations[i].over_time->drift) {
            const Number& mean = number_of_key(group.numbers, "mean");
            const auto followed = static_cast<double>(group.followed);
            if (mean.value) curve.push_back({followed, *mean.value});
            if (mean.ci95) band.push_back({followed, (*mean.ci95)[0], (*mean.ci95)[1]});
        }
        script += curve_block(plot_script("drift{}", i), curve);
        lines.push_back(plot_script("$drift{} using 1:2 with linespoints pt 7 ps 0.4 lw 2 {} {} title {}", i,
                                    dash(i), line_colour(i), key_name(names[i])));
        if (band.size() < 2) continue;
        script += band_block(plot_script("drift_band{}", i), band);
        bands.push_back(band_command(plot_script("drift_band{}", i), i));
    }
    bands.insert(bands.end(), lines.begin(), lines.end());
    return {
        draw_plot("drift", "Drift since the last detection",
                  "Mean error of the faces found, by the frames since they were last detected; 0: detected "
                  "in the frame itself. Shaded: 95\u00A0% intervals.",
                  script + plot_command(bands), key_rows(evaluations))};
}

/// The curves of one landmarker.
std::vector<DrawnPlot> category_plots(const LandmarkEvaluation& evaluation, const std::string& of) {
    if (!evaluation.over_time || evaluation.over_time->categories.empty()) return {};
    const std::vector<LandmarkCategory>& categories = evaluation.over_time->categories;
    PlotScript script = axis_labels("NME by " + normaliser_title(evaluation.normalisers[evaluation.primary]),
                                    "Faces with at most this error") +
                        percent_axis(plot_script("y")) +
                        plot_script("set xrange [0:{:.6g}]\n", largest_shown_error);
    std::vector<PlotScript> lines;
    for (std::size_t i = 0; i < categories.size(); ++i) {
        const LandmarkCategory& category = categories[i];
        std::vector<CurvePoint> curve{{0, 0}};
        for (std::size_t k = 0; k < category.errors.size() && category.errors[k] <= largest_shown_error; ++k)
            curve.push_back({category.errors[k], 100 * static_cast<double>(k + 1) / category.faces});
        curve.push_back({largest_shown_error, curve.back().y});
        script += curve_block(plot_script("category{}", i), thinned(curve, largest_shown_error / 1000, 0.1));
        const std::string title =
            fmt::format("category {} (AUC {})", key_name(category.name, 24),
                        fixed(number_of_key(category.numbers, "auc_0.08").value.value_or(0), 3));
        lines.push_back(plot_script("$category{} using 1:2 with steps lw 2 {} {} title {}", i, dash(i),
                                    line_colour(i), title));
    }
    return {draw_plot_with_key("ced_categories", "Errors by category" + of,
                               "Share of all faces of the category's videos with at most a certain NME.",
                               script + plot_command(lines), categories.size())};
}

/// Videos of the first landmarker, those with the largest mean error first.
std::vector<std::size_t> worst_videos(const LandmarksOverTime& over_time) {
    std::vector<std::size_t> videos(over_time.videos.size());
    std::iota(videos.begin(), videos.end(), std::size_t{0});
    std::stable_sort(videos.begin(), videos.end(), [&](std::size_t a, std::size_t b) {
        return over_time.videos[a].mean.value_or(0) > over_time.videos[b].mean.value_or(0);
    });
    if (videos.size() > max_videos_over_time) videos.resize(max_videos_over_time);
    return videos;
}

PlotScript error_rows(const LandmarkVideo& video) {
    PlotScript rows;
    double before = 0;
    for (const auto& [frame, error] : video.errors) {
        const bool is_gap = frame > before + 1 || !std::isfinite(error);
        // An empty line breaks the curve.
        if (is_gap && !rows.empty()) rows += plot_script("\n");
        if (std::isfinite(error)) rows += plot_script("{:.8g} {:.6g}\n", frame, error);
        before = frame;
    }
    return rows;
}

std::vector<DrawnPlot> error_plots(const TimedEvaluations& evaluations, const Names& names) {
    if (!evaluations[0].over_time) return {};
    std::vector<DrawnPlot> plots;
    std::size_t number = 1;
    for (const std::size_t v : worst_videos(*evaluations[0].over_time)) {
        const std::string& name = evaluations[0].over_time->videos[v].name;
        PlotScript script = axis_labels("Frame", nme_label(evaluations)) + plot_script("set yrange [0:*]\n");
        std::vector<PlotScript> lines;
        for (std::size_t i = 0; i < evaluations.size(); ++i) {
            const PlotScript rows = error_rows(evaluations[i].over_time->videos[v]);
            if (rows.empty()) continue;
            script += data_block(plot_script("errors{}", i), rows);
            lines.push_back(plot_script("$errors{} using 1:2 with lines lw 1.2 {} title {}", i,
                                        line_colour(i), key_name(names[i])));
        }
        plots.push_back(draw_plot(fmt::format("nme_over_time_{}", number++), "Error over time: " + name,
                                  "The error of each frame; a gap where the face was missed.",
                                  script + plot_command(lines), key_rows(evaluations), true));
    }
    return plots;
}

}  // namespace

std::vector<DrawnPlot> landmark_time_plots(const TimedEvaluations& evaluations, const Names& names) {
    std::vector<DrawnPlot> plots = drift_plots(evaluations, names);
    const std::string of = evaluations.size() > 1 ? " of " + shortened(names[0], 30) : "";
    const std::vector<DrawnPlot> categories = category_plots(evaluations[0], of);
    const std::vector<DrawnPlot> errors = error_plots(evaluations, names);
    plots.insert(plots.end(), categories.begin(), categories.end());
    plots.insert(plots.end(), errors.begin(), errors.end());
    return plots;
}

}  // namespace fovea::report
